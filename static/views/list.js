// @ts-check
/** A level as a list: the map's equal, prerequisites first. */

import { inOrder } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Icon } from "./icons.js";
import { Petals, Shape } from "./marks.js";

/** @import { Seen } from "../graph.js" */

/**
 * @param {{ nodes: Seen[], words: (node: Seen) => import("../words.js").Words, petals: (node: Seen) => string,
 *   onOpen: (id: string) => string, selected?: string | null, onSelect?: (id: string) => void, lead?: (node: Seen) => any }} props
 *   `onOpen`: the address behind a node; `onSelect`: in its place, what a click does
 */
export const StemList = ({ nodes, words, petals, onOpen, selected, onSelect, lead }) => html`<ol class="stem list">
  ${inOrder(nodes).map((node) => html`<li key=${node.id} class="s-${node.state}">
    <svg class="node s-${node.state}" viewBox="-31 -31 62 62" width="48" height="48" role="img" aria-label=${t(`state.${node.state}`)}>
      <circle class="spot" r="31" /><${Petals} states=${petals(node)} /><${Shape} state=${node.state} mastery=${node.mastery} />
    </svg>
    <div>${onSelect
        ? html`<button class="stem-name" type="button" aria-expanded=${String(selected === node.id)} onClick=${() => onSelect(node.id)}>${node.title}</button>`
        : html`<a class="stem-name" href=${onOpen(node.id)}>${node.title}</a>`}
      <div class="t13"><span class="chip wrap-chip ${words(node).tone}">${words(node).text}</span></div>
      ${node.desc && !onSelect && html`<p class="t13 stem-desc">${node.desc}</p>`}
      ${node.reason && !onSelect && html`<p class="reason why">${node.reason}</p>`}
      ${selected === node.id && lead?.(node)}
    </div>
    ${!onSelect && html`<span class="stem-go dimmer"><${Icon} name="right" small /></span>`}
  </li>`)}
</ol>`;

/** @type {Record<string, "list" | "map" | "pulse" | "info">} */
const ICONS = { list: "list", map: "map", activity: "pulse", about: "info" };

/** The switch between list, map and activity. @param {{ view: import("./pathlevel.js").View, tabs: string[] }} props */
export const Views = ({ view, tabs }) => html`<div class="seg" role="group" aria-label=${t("path.view")}>
  ${tabs.map((name) => {
    const on = view.wide ? name === "list" : view.tab.value === name;
    const choose = () => { if (view.wide && name === "map") view.toggleList(); else view.tab.value = name; };
    return html`<button key=${name} type="button" aria-pressed=${String(on)} onClick=${choose}><${Icon} name=${ICONS[name]} small />${t(/** @type {any} */ (`path.${name}`))}</button>`;
  })}
</div>`;
