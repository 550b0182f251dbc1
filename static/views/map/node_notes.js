// @ts-check
/** Notes on the map: description and reason of a node. */

import { marginNote, yOf } from "../../layout/placement.js";
import { html } from "../../lib/html.js";

/** @import { GraphNode } from "../../state/graph.js" */
/** @import { TitledNode, Places } from "../../layout/placement.js" */

const WIDTH = 300;
const ROOM = 190;

/**
 * @param {{
 *   node: import("../../state/graph.js").GraphNode,
 *   place: import("../../types.d.ts").Place,
 *   cam: import("./camera.js").Camera,
 * }} props
 */
export function NodeNote({ node, place, cam }) {
  if (!node.desc && !node.reason) return null;
  const { x, y, k } = cam.view.value;
  const { width, height } = cam.size.value;
  const left = Math.max(16, Math.min(place.x * k + x + 24, width - WIDTH - 16));
  const nodeY = yOf(place.layer) * k + y;
  const above = nodeY - 36 * k > ROOM; // its prerequisites, below it, stay visible
  const style = !above
    ? { left: `${left}px`, top: `${nodeY + 32 * k + 4}px` }
    : { left: `${left}px`, bottom: `${height - nodeY + 32 * k + 4}px` };
  return html`<div class="pop note-pop" id="map-note" role="tooltip" style=${style}>
    ${node.desc && html`<p class="say">${node.desc}</p>`}
    ${node.reason && html`<p class="reason why">${node.reason}</p>`}
  </div>`;
}

/**
 * The reason of the newest node that has one, in the margin.
 * @param {{ nodes: GraphNode[], beside: TitledNode[], places: Places }} props `beside`: nodes that it must not cover
 */
export function MarginNote({ nodes, beside, places }) {
  const noted = nodes
    .filter((node) => node.reason)
    .sort((a, b) => a.id.localeCompare(b.id))
    .at(-1); // ids grow with time
  const note = noted?.reason && marginNote(noted.reason, noted, beside, places);
  if (!note) return null;
  return html`<g class="margin-note" aria-hidden="true">
    <path class="nr-line" d="M${note.x} ${note.y}v${note.lines.length * 18}" />
    ${note.lines.map(
      (line, i) => html`<text key=${i} class="nr" x=${note.x + 10} y=${note.y + 13 + i * 18}>${line}</text>`,
    )}
  </g>`;
}
