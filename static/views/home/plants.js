// @ts-check
/** Paths drawn as plants: the taller, the more is learned. */

import { shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";

/** @import { PathSummary } from "../../types.d.ts" */

const WIDE = 440;
const GROUND = 300;
/** Positions for one plant, two plants, and so on. */
const PLACES = [[220], [120, 320], [80, 220, 360], [78, 190, 300, 396]];
const LETTER = 7.6; // average width in a caption
const TALLEST = 236;

/** @param {PathSummary["concepts"][number]} concept */
const letterOf = (concept) => (concept.learned ? "m" : concept.begun ? "p" : "l");

/** @param {{ paths: PathSummary[] }} props */
export const Plants = ({ paths }) => {
  const shown = paths.slice(0, PLACES.length);
  const places = PLACES[shown.length - 1];
  const letters = Math.floor(WIDE / shown.length / LETTER);
  return html`<div class="plants">
    <svg viewBox="0 0 ${WIDE} ${GROUND}" role="img" aria-label=${t("paths.plants", { n: shown.length })}>
      ${shown.map(
        (path, i) => html`<g key=${path.branch.id}>
          <${Plant} path=${path} x=${places[i]} lean=${i % 2 ? -9 : 11} />
          <text class="cap" x=${places[i]} y=${GROUND + 22}>${shorten(path.branch.title, letters)}</text>
        </g>`,
      )}
    </svg>
  </div>`;
};

/** @param {{ path: PathSummary, x: number, lean: number }} props */
function Plant({ path, x, lean }) {
  const done = path.concepts.filter((concept) => concept.learned).length;
  if (!path.concepts.length)
    return html`<g class=${path.activeRunId ? "breathing" : ""}>
      <path class="stem-line" d="M${x} ${GROUND}v-14" />
      <path class="leaf-new" d="M${x} ${GROUND - 12}c0-11 6-17 17-17 1 11-5 17-17 17Z" />
    </g>`;
  if (!done) return html`<${Sprig} x=${x} parts=${path.concepts.length} breathing=${Boolean(path.activeRunId)} />`;
  const height = 70 + (TALLEST - 70) * (done / path.concepts.length);
  const top = GROUND - height;
  return html`<g>
    <path
      class="stem-line"
      d="M${x} ${GROUND}C${x} ${GROUND - height * 0.4} ${x + lean} ${GROUND - height * 0.5} ${x + lean} ${top}"
    />
    ${leaves(done, x, lean, height)}
    <g transform="translate(${x + lean} ${top})">
      <circle class="eye" r="9" />
      <circle class="pupil" r="3" />
      ${path.concepts.map(
        (concept, i) => html`<g key=${concept.id} transform="rotate(${((360 / path.concepts.length) * i).toFixed(1)})">
          ${bigPetal(letterOf(concept))}
        </g>`,
      )}
    </g>
  </g>`;
}

/** @param {string} letter */
const bigPetal = (letter) =>
  letter === "m"
    ? html`<path class="p-m" d="M0 -15c6 -6 6 -14 0 -20c-6 6 -6 14 0 20Z" />`
    : letter === "p"
      ? html`<path class="p-p" d="M0 -15c5 -5.1 5 -11.9 0 -17c-5 5.1 -5 11.9 0 17Z" />`
      : html`<circle class="p-l" cy="-21" r="2" />`;

/**
 * A pair of seed leaves, a little taller the more there is to learn.
 * @param {{ x: number, parts: number, breathing: boolean }} props
 */
function Sprig({ x, parts, breathing }) {
  const height = 22 + Math.min(parts, 12) * 3;
  const top = GROUND - height;
  return html`<g class=${breathing ? "breathing" : ""}>
    <path class="stem-line" d="M${x} ${GROUND}v${-height}" />
    <path
      class="leaf-new"
      d="M${x} ${top + 10}c-1-14-9-19-20-18 0 12 8 19 20 18ZM${x} ${top + 2}c0-13 7-20 19-20 1 13-6 20-19 20Z"
    />
  </g>`;
}

/**
 * One leaf per learned concept, up to four, on alternate sides.
 * @param {number} done
 * @param {number} x
 * @param {number} lean
 * @param {number} height
 */
function leaves(done, x, lean, height) {
  return Array.from({ length: Math.min(done, 4) }, (_, i) => {
    const share = 0.22 + i * 0.16;
    const side = (i % 2 ? -1 : 1) * Math.sign(lean);
    const at = [x + lean * share, GROUND - height * share];
    return html`<path
      key=${i}
      class="leaf-old"
      transform="translate(${at[0]} ${at[1]}) scale(${side} 1)"
      d="M0 0c-1.3-15-14.3-22-26-20c0 14 10.4 22 26 20Z"
    />`;
  });
}

export const Seed = () => html`<div class="plants">
  <svg viewBox="0 0 440 300" role="img" aria-label=${t("paths.seed")}>
    <path class="e e-ghost" d="M220 300C220 230 232 200 232 120" />
    <g transform="translate(232 96)">
      ${Array.from(
        { length: 8 },
        (_, i) => html`<circle key=${i} class="p-l" cy="-24" r="2" transform="rotate(${i * 45})" />`,
      )}
      <circle class="seed-ring" r="9" />
    </g>
    <path class="leaf-new" d="M220 318c-8 0-11 5-11 9s5 8 11 8 11-4 11-8-3-9-11-9Z" />
    <path class="stem-line" d="M220 318v-16" />
  </svg>
</div>`;
