// @ts-check
/** Arrow keys on a map: up and down follow branches, left and right stay on a layer. Pure. */

/** @import { GraphNode } from "../state/graph.js" */
/** @import { Places } from "./measures.js" */

/**
 * The node that an arrow key leads to, or null.
 * @param {string} key @param {string} from @param {GraphNode[]} nodes @param {Places} places @returns {string | null}
 */
export function nextNode(key, from, nodes, places) {
  const here = places.get(from);
  const node = nodes.find((each) => each.id === from);
  if (!here || !node) return null;
  const nearest = (/** @type {string[]} */ ids) =>
    ids.filter((id) => places.has(id)).sort((a, b) => away(a) - away(b))[0] ?? null;
  const away = (/** @type {string} */ id) => Math.abs((places.get(id)?.x ?? 0) - here.x);
  const onWire = (/** @type {-1 | 1} */ side) =>
    nodes
      .map((each) => each.id)
      .filter((id) => {
        const place = places.get(id);
        return place && place.layer === here.layer && (place.x - here.x) * side > 0;
      });
  switch (key) {
    case "ArrowUp":
      return nearest(node.opens);
    case "ArrowDown":
      return nearest(node.needs);
    case "ArrowLeft":
      return nearest(onWire(-1));
    case "ArrowRight":
      return nearest(onWire(1));
    default:
      return null;
  }
}
