// @ts-check
/** Marks of the matrix: the silhouette of a state, a bar below it where somebody is stuck, a dotted ring for doubt. */

import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { t } from "../../i18n/classes.js";
import { commaJoined } from "../../lib/format.js";
import { Shape } from "../common/node_state_shapes.js";

/** @import { Cell } from "../../state/class_matrix.js" */
/** @import { NodeState } from "../../state/graph.js" */

/** Quieter than on the map, where a state stands alone: hundreds stand here. @type {Record<NodeState, () => any>} */
const SHAPES = {
  locked: () => html`<circle class="body" r="7" />`,
  ready: () => html`<${Shape} state="ready" />`,
  progress: () => html`<${Shape} state="progress" mastery=${0.5} />`,
  learned: () => html`<${Shape} state="progress" mastery=${1} />`,
  mastered: () => html`<${Shape} state="learned" />`,
  due: () => html`<${Shape} state="due" />`,
};
/** Classes that colour a shape. @type {Record<NodeState, string>} */
const COLOURS = {
  locked: "s-locked",
  ready: "s-ready",
  progress: "s-progress",
  learned: "s-progress",
  mastered: "s-mastered",
  due: "s-due",
};
const STATES = /** @type {NodeState[]} */ (Object.keys(SHAPES));

/** The shapes, defined once per page: a class of 200 has thousands of marks. */
export const CellShapes = () => html`<svg class="vh" width="0" height="0" aria-hidden="true">
  <defs>
    ${STATES.map((state) => html`<g key=${state} id="cell-${state}" class=${COLOURS[state]}>${SHAPES[state]()}</g>`)}
  </defs>
</svg>`;

/** @param {{ cell: Cell }} props */
export const CellMark = ({ cell: { state, isStuck, isUnsure } }) =>
  html`<svg class="cl-m" viewBox="-20 -20 40 44" aria-hidden="true">
    <use href="#cell-${state}" />
    ${isUnsure && html`<circle class="cl-doubt" r="18" />`}
    ${isStuck && html`<path class="cl-bar" d="M-12 20h24" />`}
  </svg>`;

/** State, stuck and doubt in words. @param {Cell} cell */
export const cellWords = ({ state, isStuck, isUnsure }) =>
  commaJoined([state ? common(`state.${state}`) : "–", isStuck && t("cl.is_stuck"), isUnsure && t("cl.is_unsure")]);

/** @param {Partial<Cell>} cell @returns {Cell} */
const cellLike = (cell) => ({ state: "progress", isStuck: false, isUnsure: false, ...cell });

export const CellLegend = () => html`<ul class="cl-legend" aria-label=${t("cl.legend")}>
  ${["locked", "ready", "progress", "learned", "mastered", "due"].map(
    (state) => html`<li key=${state}>
      <${CellMark} cell=${cellLike({ state: /** @type {NodeState} */ (state) })} />
      ${common(/** @type {any} */ (`state.${state}`))}
    </li>`,
  )}
  <li><${CellMark} cell=${cellLike({ isStuck: true })} />${t("cl.legend_stuck")}</li>
  <li><${CellMark} cell=${cellLike({ state: "mastered", isUnsure: true })} />${t("cl.legend_unsure")}</li>
</ul>`;
