// @ts-check
/** Note on the map: the reason of its newest node. */

import { marginNote } from "../../layout/margin_note.js";
import { html } from "../../lib/html.js";

/** @import { GraphNode } from "../../state/graph.js" */
/** @import { TitledNode, Places } from "../../layout/measures.js" */

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
