// @ts-check
/** A few plants on the ground line: an ornament. */

import { GROUND, WIDTH, leafPath, plantOf } from "../../layout/plant.js";
import { html } from "../../lib/html.js";

/** Leaves of each plant; the last ones are new. */
const PLANTS = [5, 2, 7, 1];
const NEW = 2;

const plants = PLANTS.map((leaves, place) => ({ leaves, place }));

export const Ground = () => html`<div class="si-ground" aria-hidden="true">
  <div class="wrap">${plants.map((plant) => html`<${Ornament} key=${plant.place} ...${plant} />`)}</div>
</div>`;

/** @param {{ leaves: number, place: number }} props */
function Ornament({ leaves, place }) {
  const plant = plantOf(leaves, place, false);
  return html`<svg viewBox="0 0 ${WIDTH} ${GROUND}" preserveAspectRatio="xMidYMax meet">
    <path class="stem-line" d=${plant.stem} />
    ${plant.twigs.map((twig, i) => html`<path key=${i} class="stem-line twig" d=${twig} />`)}
    ${plant.leaves.map(
      (leaf, i) => html`<path key=${i} class=${i >= leaves - NEW ? "leaf-new" : "leaf-old"} d=${leafPath(leaf)} />`,
    )}
    <g transform="translate(${plant.top.x} ${plant.top.y})"><circle class="leaf-new" r="3.25" /></g>
  </svg>`;
}
