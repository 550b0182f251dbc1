// @ts-check
/** Minimap of the path with the opened concept marked; links back. */

import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { conceptsOf, edgesAmong } from "../../state/graph.js";
import { pathUrl } from "../../state/router.js";

const WIDTH = 132;
const STEP = 15;

/**
 * @param {{
 *   path: import("../../state/open_path.js").OpenPath,
 *   concept: import("../../state/graph.js").GraphNode,
 *   lit: Set<string>,
 * }} props
 */
export function MiniMap({ path, concept }) {
  const nodes = conceptsOf(path.all.value);
  const places = path.placesOf("path", nodes);
  const xs = [...places.values()].map((place) => place.x);
  const layers = [...places.values()].map((place) => place.layer);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const top = Math.max(...layers);
  const at = (/** @type {string} */ id) => {
    const place = places.get(id);
    return (
      place && [
        right > left ? 12 + ((place.x - left) / (right - left)) * (WIDTH - 24) : WIDTH / 2,
        12 + (top - place.layer) * STEP,
      ]
    );
  };
  const height = 24 + (top - Math.min(...layers)) * STEP;
  if (!xs.length) return null;
  return html`<div class="mini">
    <a href=${pathUrl(path.branchId)} aria-label=${t("map.back")} title=${t("map.back")}>
      <svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">
        ${edgesAmong(nodes).map(([source, target]) => {
          const from = at(source);
          const to = at(target);
          return (
            from &&
            to &&
            html`<path
              key=${`${source}>${target}`}
              class="mini-e"
              d="M${
                from[0]
              } ${from[1]}C${from[0]} ${(from[1] + to[1]) / 2} ${to[0]} ${(from[1] + to[1]) / 2} ${to[0]} ${to[1]}"
            />`
          );
        })}
        ${nodes.map((node) => {
          const point = at(node.id);
          return (
            point &&
            html`<g key=${node.id} class="mini-${node.state}">
              <circle
                cx=${point[0]}
                cy=${point[1]}
                r=${node.id === concept.id ? 5 : 3.2}
                class=${node.id === concept.id ? "mini-here" : ""}
              />
              ${node.id === concept.id && html`<circle class="mini-ring" cx=${point[0]} cy=${point[1]} r="8.5" />`}
            </g>`
          );
        })}
      </svg>
    </a>
  </div>`;
}
