// @ts-check
/** What a node is about: its words, why it is there, what it builds on and opens. */

import { listed } from "../format.js";
import { partsOf } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { diagnosticUrl, learnUrl, pathUrl } from "../router.js";
import { Mark } from "./marks.js";

/** @import { Seen } from "../graph.js" */

/** @param {{ path: import("../live.js").Path, node: Seen, isConcept: boolean, onSelect: (id: string) => void }} props */
export function AboutNode({ path, node, isConcept, onSelect }) {
  const all = path.all.value;
  const named = (/** @type {string[]} */ ids) => ids.flatMap((id) => all.get(id) ?? []);
  const link = (/** @type {Seen} */ each) => each.type === "concept"
    ? html`<a href=${pathUrl(path.branchId, each.id)}>${each.title}</a>`
    : html`<button class="link plain" type="button" onClick=${() => onSelect(each.id)}>${each.title}</button>`;
  const list = (/** @type {Seen[]} */ nodes, /** @type {string} */ none) => nodes.length ? nodes.map((each) => html`<div key=${each.id}>${link(each)}</div>`) : html`<span class="dimmer">${none}</span>`;
  const parts = partsOf(all, node.id);
  return html`<div class="about" key=${node.id}>
    <p class="chip ${node.state === "ready" || node.state === "progress" ? "leaf" : node.state === "due" ? "due" : ""}"><${Mark} state=${node.state} mastery=${node.mastery} />${t(`state.${node.state}`)}</p>
    <h2>${node.title}</h2>
    <p class="say about-desc">${node.desc ?? t("about.no_desc")}</p>
    ${node.reason && html`<p class="reason why">${node.reason}</p>`}
    ${isConcept ? parts.length > 0 && html`<p class="about-go"><a class="btn" href=${diagnosticUrl(path.branchId, node.id)}>${t("about.diagnostic")}</a></p>` : html`<${Learn} path=${path} node=${node} />`}
    <dl class="facts">
      <dt>${t("about.builds_on")}</dt><dd>${list(named(node.needs), t("map.starts_here"))}</dd>
      <dt>${t("about.opens")}</dt><dd>${list(named(node.opens), t("about.goal"))}</dd>
    </dl>
    ${isConcept && parts.length > 0 && html`<p class="t13 dimmer">${t("about.select")}</p>`}
  </div>`;
}

/** The way into a lesson, or what stands before it. @param {{ path: import("../live.js").Path, node: Seen }} props */
function Learn({ path, node }) {
  const all = path.all.value;
  const waits = node.needs.flatMap((id) => { const need = all.get(id); return need && need.state !== "mastered" ? [need.title] : []; });
  const label = node.state === "mastered" ? "about.look" : node.state === "progress" ? "about.go_on" : "about.learn";
  return html`<p class="about-go"><a class=${node.state === "locked" ? "btn" : "btn go"} href=${learnUrl(path.branchId, node.parentId ?? "", node.id)}>${t(label)}</a></p>
    ${waits.length > 0 && html`<p class="t13 dim">${t("about.before", { titles: listed(waits), n: waits.length })}</p>`}`;
}
