// @ts-check
/** Level as a list, prerequisites first. */

import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { statusWithMinutes } from "../../lib/node_status.js";
import { inLearningOrder } from "../../state/graph.js";
import { Icon } from "../common/icons.js";
import { Petals, Shape } from "../common/node_state_shapes.js";

/** @import { GraphNode } from "../../state/graph.js" */

/**
 * @param {{
 *   nodes: GraphNode[],
 *   words: (node: GraphNode) => import("../../lib/node_status.js").NodeStatus,
 *   petals: (node: GraphNode) => string,
 *   onOpen: (id: string) => string,
 *   selected?: string | null,
 *   onSelect?: (id: string) => void,
 *   lead?: (node: GraphNode) => any,
 * }} props `onOpen`: the address behind a node; `onSelect`: in its place, what a click does
 */
export const NodeList = ({ nodes, words, petals, onOpen, selected, onSelect, lead }) => html`<ol class="stem list">
  ${inLearningOrder(nodes).map(
    (node) => html`<li key=${node.id} class="s-${node.state}">
      <svg
        class="node s-${node.state}"
        viewBox="-31 -31 62 62"
        width="48"
        height="48"
        role="img"
        aria-label=${t(`state.${node.state}`)}
      >
        <circle class="spot" r="31" />
        <${Petals} states=${petals(node)} />
        <${Shape} state=${node.state} mastery=${node.mastery} />
      </svg>
      <div>
        ${
          onSelect
            ? html`<button
              class="stem-name"
              type="button"
              aria-expanded=${String(selected === node.id)}
              onClick=${() => onSelect(node.id)}
            >
              ${node.title}
            </button>`
            : html`<a class="stem-name" href=${onOpen(node.id)}>${node.title}</a>`
        }
        <div class="t13"><span class="chip wrap-chip ${words(node).tone}">${statusWithMinutes(words(node))}</span></div>
        ${node.desc && !onSelect && html`<p class="t13 stem-desc">${node.desc}</p>`}
        ${node.reason && !onSelect && html`<p class="reason why">${node.reason}</p>`}
        ${selected === node.id && lead?.(node)}
      </div>
      ${!onSelect && html`<span class="stem-go dimmer"><${Icon} name="right" small /></span>`}
    </li>`,
  )}
</ol>`;
