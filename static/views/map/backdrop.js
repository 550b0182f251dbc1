// @ts-check
/** Background of the map: layers, ground, branches, seed bed. */

import { useMemo } from "preact/hooks";
import { branchPaths } from "../../layout/branches.js";
import { yOf } from "../../layout/measures.js";
import { shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";

/** @import { Camera } from "./camera.js" */
/** @import { GraphNode } from "../../state/graph.js" */
/** @import { TitledNode, Pair, Places } from "../../layout/measures.js" */

/** Left and right edge of the screen, in world coordinates. @param {Camera} cam @param {number} inset */
const edges = (cam, inset) => {
  const { x, k } = cam.view.value;
  return [(inset - x) / k, (cam.size.value.width - inset - x) / k];
};

/** @param {{ cam: Camera, top: number, bottom: number, named: boolean }} props */
export function Wires({ cam, top, bottom, named }) {
  const [left, right] = edges(cam, 24);
  const layers = Array.from({ length: top - bottom + 1 }, (_, i) => bottom + i);
  return html`<g aria-hidden="true">
    ${named && layers.map((layer) => html`<path key=${layer} class="wire" d="M${left} ${yOf(layer)}H${right}" />`)}
    ${named && html`<text class="wire-t" x=${right} y=${yOf(bottom) - 8} text-anchor="end">${t("path.start")}</text>`}
    ${
      named &&
      top > bottom &&
      html`<text class="wire-t" x=${right} y=${yOf(top) - 8} text-anchor="end">${t("path.goal")}</text>`
    }
  </g>`;
}

const ROOTS = [
  "v22c0 10-8 14-20 22m20-22c0 12 5 18 3 30m-3-30c2 9 12 13 22 18",
  "v22c0 12-12 14-18 26m18-26c0 10 9 14 20 20",
];

/** @param {{ cam: Camera, y: number, entries: number[], text: string, hasRoots: boolean }} props */
export function Ground({ cam, y, entries, text, hasRoots }) {
  const [left, right] = edges(cam, 0);
  const sorted = [...entries].sort((a, b) => a - b);
  const textAt = hasRoots ? sorted[sorted.length - 1] + 38 : edges(cam, 24)[0];
  return html`<g aria-hidden="true">
    <path class="soil" d="M${left} ${y}H${right}" />
    ${
      hasRoots &&
      sorted.map((x, i) => html`<path key=${x} class="root" d="M${x} ${y - 22}${ROOTS[i % ROOTS.length]}" />`)
    }
    <text class="rt" x=${textAt} y=${y + 26}>${text}</text>
  </g>`;
}

/**
 * Thickness of a branch, by the state of its target.
 * @type {Record<import("../../state/graph.js").NodeState, string>}
 */
const THICKNESS = { locked: "e1", ready: "e2", progress: "e2", learned: "e3", mastered: "e3", due: "e3" };

/**
 * @param {{
 *   pairs: Pair[],
 *   nodes: TitledNode[],
 *   all: Map<string, GraphNode>,
 *   places: Places,
 *   fresh: Set<string>,
 *   lit: Set<string> | null,
 *   delays: Map<string, number>,
 *   isRoomy: boolean,
 * }} props
 */
export const Branches = ({ pairs, nodes, all, places, fresh, lit, delays, isRoomy }) => {
  const ways = useMemo(
    () => branchPaths(pairs, nodes, places, isRoomy ? { top: 30, bottom: 30 } : { top: 21, bottom: 21 }),
    [pairs, places, isRoomy],
  );
  return useMemo(
    () =>
      html`<g aria-hidden="true">
        ${pairs.map(([source, target]) => {
          const key = `${source}>${target}`;
          const d = ways.get(key) ?? "";
          const isNew = fresh.has(source) || fresh.has(target);
          const dim = lit !== null && !(lit.has(source) && lit.has(target)) ? "dim-edge" : "";
          const delay = { animationDelay: `${delays.get(target) ?? 0}ms` };
          const thick = THICKNESS[all.get(target)?.state ?? "locked"];
          return isNew
            ? html`<g key=${key} data-edge=${key} class=${dim}>
              <path class="e e-new grow-e" style=${delay} d=${d} pathLength="1" />
              <path class="e e-new2 grow-e" style=${delay} d=${d} pathLength="1" />
            </g>`
            : html`<g key=${key} data-edge=${key} class=${dim}><path class="e ${thick}" d=${d} /></g>`;
        })}
      </g>`,
    [ways, all, fresh, lit, delays],
  );
};

/**
 * Nodes that are saved but have no edges yet.
 * @param {{ seeds: GraphNode[], y: number, perRow: number, row: number }} props
 */
export const SeedBed = ({ seeds, y, perRow, row }) =>
  html`<g>
    ${seeds.map(
      (seed, i) => html`<g
        key=${seed.id}
        class="seed"
        style=${{ transform: `translate(${(i % perRow) * 250 - 360}px, ${y + 14 + Math.floor(i / perRow) * row}px)` }}
      >
        <g class="grow-n"><path class="leaf-new" d="M0-8c-7 0-10 4.5-10 8s4.5 7 10 7 10-3.500 10-7-3-8-10-8Z" /></g>
        <text class="nm grow-l" x="18" y="4">${shorten(seed.title, 30)}</text>
      </g>`,
    )}
  </g>`;

/** Placeholder while nothing is saved yet: a seed. @param {{ y: number }} props */
export const EmptyPlot = ({ y }) => html`<g class="sown" aria-hidden="true" transform="translate(0 ${y})">
  <path class="e e-ghost" d="M0 0C0 -70 14 -100 14 -180" />
  <circle class="seed-ring" cx="14" cy="-204" r="11" />
  ${Array.from(
    { length: 8 },
    (_, i) => html`<circle key=${i} class="p-l" cx="14" cy="-230" r="2" transform="rotate(${i * 45} 14 -204)" />`,
  )}
  <path class="stem-line" d="M0 1v16" />
  <path class="leaf-new" d="M0 18c-8 0-11 5-11 9s5 8 11 8 11-4 11-8-3-9-11-9Z" />
</g>`;
