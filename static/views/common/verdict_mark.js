// @ts-check
/** Mark of a verdict as an icon: a disc with a tick, half a disc, a ring with a cross, a dotted ring with a dash. */

import { html } from "../../lib/html.js";

/** @typedef {"met" | "partly" | "missing" | "unsure"} MarkShape */

/** @type {Record<MarkShape, () => any>} */
const SHAPES = {
  met: () => html`<circle class="vm-full" r="9" /><path class="vm-tick" d="M-4 .5-1.2 3.3 4.2-2.7" />`,
  partly: () => html`<circle class="vm-ring" r="8.25" /><path class="vm-half" d="M0-8.25a8.25 8.25 0 0 1 0 16.5Z" />`,
  missing: () =>
    html`<circle class="vm-ring" r="8.25" /><path class="vm-line" d="M-3.3-3.3 3.3 3.3M3.3-3.3-3.3 3.3" />`,
  unsure: () => html`<circle class="vm-ring" r="8.25" /><path class="vm-line" d="M-3.5 0h7" />`,
};

/** @param {{ shape: MarkShape }} props */
export const VerdictMark = ({ shape }) =>
  html`<svg class=${`vm ${shape}`} viewBox="-10 -10 20 20" aria-hidden="true">${SHAPES[shape]()}</svg>`;
