// @ts-check
/** Shapes of the six node states, and petals for parts. */

import { useId } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";

/** @import { NodeState } from "../../state/graph.js" */

const BLOOM =
  "M4.82 -11.64A5.08 5.08 0 0 1 11.64 -4.82A5.08 5.08 0 0 1 11.64 4.82A5.08 5.08 0 0 1 4.82 11.64A5.08 5.08 0 0 1 -4.82 11.64A5.08 5.08 0 0 1 -11.64 4.82A5.08 5.08 0 0 1 -11.64 -4.82A5.08 5.08 0 0 1 -4.82 -11.64A5.08 5.08 0 0 1 4.82 -11.64Z";
const LEAF = "M-12.5 12.5V-1.5A11 11 0 0 1-1.5-12.5H12.5V1.5A11 11 0 0 1 1.5 12.5Z";
const DROP = "M0-17C4.5-11.5 13-6.5 13 2.5A13 13 0 0 1-13 2.5C-13-6.5-4.5-11.5 0-17Z";
const LOCK = "M-4.5-.5h9v6.5h-9zM-2.75-.5v-2.25a2.75 2.75 0 0 1 5.5 0v2.25";
const SEEDLING = "M0 8v-7M0 1c0-4-2-6-6.5-6C-6.5-1.5-4.2 1 0 1ZM0 3.5c0-3 1.8-5 6-5 0 3.2-2 5-6 5Z";
const TICK = "M-5.5.5-1.5 4.5 6-4";
const TURN = "M5.5 2A5.5 5.5 0 1 1 3.7-2M5.5-5.5v4h-4";
const MIDRIB = "M-12.5 12.5 6-6";

/** The shape of a state around (0, 0), about 34 px wide. @param {{ state: NodeState, mastery?: number }} props */
export function Shape({ state, mastery = 0 }) {
  const clip = useId();
  if (state === "locked") return html`<circle class="body" r="12" /><path class="ico" d=${LOCK} />`;
  if (state === "ready") return html`<circle class="body" r="13.5" /><path class="ico" d=${SEEDLING} />`;
  if (state === "learned") return html`<path class="body" d=${BLOOM} /><path class="ico" d=${TICK} />`;
  if (state === "mastered")
    return html`<circle class="crown" r="15.5" /><path class="body" d=${BLOOM} /><path class="ico" d=${TICK} />`;
  if (state === "due") return html`<path class="body" d=${DROP} /><path class="ico" d=${TURN} />`;
  const height = 25 * mastery;
  return html`
    <path class="body" d=${LEAF} />
    <clipPath id=${clip}><path d=${LEAF} /></clipPath>
    <rect class="fill" x="-13" y=${12.5 - height} width="26" height=${height + 1} clip-path="url(#${clip})" />
    <path class="body outline" d=${LEAF} />
    <path class="ico" d=${MIDRIB} />
  `;
}

/** A state as a small icon. @param {{ state: NodeState, mastery?: number }} props */
export const Mark = ({ state, mastery = 0.5 }) =>
  html`<svg class="m s-${state}" viewBox="-17 -17 34 34" aria-hidden="true">
    <${Shape} state=${state} mastery=${mastery} />
  </svg>`;

export const Legend = () => html`<ul class="legend" aria-label=${t("map.legend")}>
  ${["locked", "ready", "progress", "learned", "mastered", "due"].map(
    (state) => html`<li key=${state}><${Mark} state=${state} />${t(/** @type {any} */ (`state.${state}`))}</li>`,
  )}
</ul>`;

/**
 * Path data of a petal that points up, `from` px above the centre.
 * @param {number} from
 * @param {number} width
 * @param {number} length
 */
const petal = (from, width, length) => {
  const low = (length * 0.3).toFixed(1);
  const high = (length * 0.7).toFixed(1);
  return `M0 ${-from}c${width} -${low} ${width} -${high} 0 -${length}c-${width} ${low} -${width} ${high} 0 ${length}Z`;
};

const MOST_PETALS = 14;

/**
 * Ring of petals, one per part, clockwise; an arc above 14 parts.
 * @param {{ states: string, size?: "node" | "path" }} props `states`: a letter per part
 */
export function Petals({ states, size = "node" }) {
  const parts = [...states];
  if (!parts.length) return null;
  if (parts.length > MOST_PETALS) return html`<${Arc} states=${states} />`;
  const slim = parts.length > 9 ? 0.8 : 1;
  const big = size === "path";
  const from = big ? 16.5 : 17.5;
  /** @type {Record<string, string>} */
  const shapes = {
    m: petal(from, (big ? 5.2 : 4.2) * slim, big ? 14.5 : 10),
    p: petal(from, (big ? 4.2 : 3.5) * slim, big ? 12 : 8.5),
    d: petal(from + 2, (big ? 4.4 : 3.7) * slim, big ? 12 : 9),
    r: petal(from, (big ? 3.6 : 2.9) * slim, big ? 10 : 7.5),
  };
  return html`<g class="petals">
    ${parts.map((state, i) => {
      const turn = `rotate(${((360 / parts.length) * i).toFixed(1)})`;
      return state === "l"
        ? html`<circle key=${i} class="p-l" cy="-21" r=${big ? 1.6 : 1.4} transform=${turn} />`
        : html`<path key=${i} class="p-${state}" d=${shapes[state]} transform=${turn} />`;
    })}
  </g>`;
}

/** @param {{ states: string }} props */
function Arc({ states }) {
  const done = [...states].filter((state) => state === "m" || state === "d").length / states.length;
  return html`<g class="petals arc" transform="rotate(-90)">
    <circle class="arc-all" r="23" />
    <circle class="arc-done" r="23" pathLength="1" stroke-dasharray="${done} 1" />
  </g>`;
}

/** Progress ring of a path. @param {{ states: string }} props */
export function Rosette({ states }) {
  const done = [...states].filter((state) => state === "m" || state === "d").length;
  if (!states)
    return html`<svg class="rosette s-gone" viewBox="-33 -33 66 66" width="60" height="60" aria-hidden="true">
      <circle class="body" r="12" />
    </svg>`;
  return html`<svg
    class="rosette"
    viewBox="-33 -33 66 66"
    width="60"
    height="60"
    role="img"
    aria-label=${t("paths.ring", { done, n: states.length })}
  >
    <${Petals} states=${states} size="path" />
    <text class="ring-num" y="5">${done}<tspan class="ring-of">/${states.length}</tspan></text>
  </svg>`;
}
