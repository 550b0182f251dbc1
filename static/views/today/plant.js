// @ts-check
/** A path as a plant: a leaf for each learned part, a seed before the first, a flower after the last. */

import { useMemo } from "preact/hooks";
import { t } from "../../i18n/today.js";
import { GROUND, leafPath, plantOf, WIDTH } from "../../layout/plant.js";
import { html } from "../../lib/html.js";

const PETALS = 7;
/** @type {Record<string, string>} */
const AGES = { n: "leaf-new", m: "leaf-old", d: "leaf-due" };

/**
 * @param {{ leaves: string, parts: number, place: number, seen: number }} props `leaves`: a letter for each learned
 *   part; `seen`: how many of them the learner has seen before, so that the others grow
 */
export function Plant({ leaves, parts, place, seen }) {
  const isFlower = parts > 0 && leaves.length >= parts;
  const plant = useMemo(() => plantOf(leaves.length, place, isFlower), [leaves.length, place, isFlower]);
  if (!leaves) return html`<${Seed} />`;
  return html`<svg
    viewBox="0 0 ${WIDTH} ${GROUND}"
    preserveAspectRatio="xMinYMax meet"
    role="img"
    aria-label=${t(isFlower ? "td.flower" : "td.plant", { n: leaves.length })}
  >
    <path class="stem-line" d=${plant.stem} />
    ${plant.twigs.map((twig, i) => html`<path key=${i} class="stem-line twig" d=${twig} />`)}
    ${plant.leaves.map(
      (leaf, i) => html`<path
        key=${i}
        class="${AGES[leaves[i]]} ${i >= seen ? "grows" : ""}"
        style=${{ transformOrigin: `${leaf.x}px ${leaf.y}px` }}
        d=${leafPath(leaf)}
      />`,
    )}
    <g transform="translate(${plant.top.x} ${plant.top.y})">
      ${isFlower ? html`<${Flower} />` : html`<circle class="leaf-new" r="3.25" />`}
    </g>
  </svg>`;
}

const Flower = () => html`
  <circle class="eye" r="7" />
  <circle class="pupil" r="2.5" />
  ${Array.from(
    { length: PETALS },
    (_, i) => html`<path
      key=${i}
      class="leaf-old"
      d="M0 -11c5 -5 5 -11 0 -16c-5 5 -5 11 0 16Z"
      transform="rotate(${((360 / PETALS) * i).toFixed(1)})"
    />`,
  )}
`;

const Seed = () => html`<svg
  viewBox="0 0 ${WIDTH} ${GROUND}"
  preserveAspectRatio="xMinYMax meet"
  role="img"
  aria-label=${t("td.seed")}
>
  <path class="leaf-new" d="M52 234c-6 0-8.5 4-8.5 7s4 6 8.5 6 8.5-3 8.5-6-2.5-7-8.5-7Z" />
  <path class="stem-line" d="M52 234v-15" />
</svg>`;
