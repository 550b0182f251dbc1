// @ts-check
/** Placement of a level's nodes: layers from the ground up; a place once given is kept. Pure. */

import { Graph, layout as dagre } from "../vendor/dagre.mjs";
import { addToLayout } from "./free_places.js";
import { extent, GAP, LEFT, rightExtent, ROW, WIDEST, widthOf } from "./measures.js";

/** @import { Place } from "../types.d.ts" */
/** @import { Pair, Places, TitledNode } from "./measures.js" */

/**
 * A place for every node. Nodes in `kept` stay, unless an edge would then not point upwards.
 * @param {TitledNode[]} nodes @param {Pair[]} pairs @param {Places} kept @returns {Places}
 */
export function placeNodes(nodes, pairs, kept = new Map()) {
  const upward = withoutCycles(nodes, pairs);
  const standing = new Map(
    nodes.flatMap((node) => (kept.has(node.id) ? [[node.id, /** @type {Place} */ (kept.get(node.id))]] : [])),
  );
  return standing.size ? addToLayout(nodes, upward, standing) : layoutAnew(nodes, upward);
}

/** @param {Places} a @param {Places} b */
export const samePlaces = (a, b) =>
  a.size === b.size && [...a].every(([id, { x, layer }]) => b.get(id)?.x === x && b.get(id)?.layer === layer);

/**
 * The pairs without those that would close a cycle.
 * @param {TitledNode[]} nodes
 * @param {Pair[]} pairs
 * @returns {Pair[]}
 */
function withoutCycles(nodes, pairs) {
  const ids = new Set(nodes.map((node) => node.id));
  /** @type {Map<string, string[]>} */
  const above = new Map();
  return pairs.filter(([source, target]) => {
    if (!ids.has(source) || !ids.has(target) || reaches(above, target, source)) return false;
    above.set(source, [...(above.get(source) ?? []), target]);
    return true;
  });
}

/** @param {Map<string, string[]>} above @param {string} from @param {string} to */
function reaches(above, from, to) {
  const found = new Set([from]);
  for (const id of found) {
    if (id === to) return true;
    above.get(id)?.forEach((next) => found.add(next));
  }
  return false;
}

/**
 * A layout from nothing: dagre finds layers and order; entries are tied to the ground.
 * @param {TitledNode[]} nodes
 * @param {Pair[]} pairs
 * @returns {Places}
 */
function layoutAnew(nodes, pairs) {
  if (!nodes.length) return new Map();
  const graph = new Graph();
  graph.setGraph({ rankdir: "BT", nodesep: GAP, edgesep: GAP, ranksep: ROW });
  graph.setDefaultEdgeLabel(() => ({}));
  graph.setNode("ground", { width: 1, height: 1 });
  for (const node of nodes) graph.setNode(`n${node.id}`, { width: LEFT + rightExtent(node.title), height: 2 });
  const upper = new Set(pairs.map(([, target]) => target));
  for (const node of nodes) if (!upper.has(node.id)) graph.setEdge("ground", `n${node.id}`, { weight: 20 });
  for (const [source, target] of pairs) graph.setEdge(`n${source}`, `n${target}`);
  dagre(graph);
  const rows = [...new Set(nodes.map((node) => graph.node(`n${node.id}`).y))].sort((a, b) => b - a);
  return inWidth(
    nodes,
    centred(
      nodes,
      new Map(
        nodes.map((node) => {
          const box = graph.node(`n${node.id}`);
          return [node.id, { x: Math.round(box.x - box.width / 2 + LEFT), layer: rows.indexOf(box.y) }];
        }),
      ),
    ),
  );
}

/**
 * A layout no wider than `WIDEST`: wider layers are dealt out to several rows, and the rest moves together.
 * @param {TitledNode[]} nodes
 * @param {Places} places
 * @returns {Places}
 */
function inWidth(nodes, places) {
  const { left, right, top } = extent(nodes, places);
  if (right - left <= WIDEST) return places;
  const xOf = (/** @type {TitledNode} */ node) => /** @type {Place} */ (places.get(node.id)).x;
  const scale = WIDEST / (right - left);
  const found = new Map();
  let layers = 0;
  for (let layer = 0; layer <= top; layer++) {
    const across = nodes.filter((node) => places.get(node.id)?.layer === layer).sort((a, b) => xOf(a) - xOf(b));
    for (const row of dealt(across)) {
      rowOf(row, (node) => xOf(node) * scale).forEach((x, id) => found.set(id, { x, layer: layers }));
      layers++;
    }
  }
  return found;
}

/** A layer dealt out to as few rows as are wide enough. @param {TitledNode[]} across @returns {TitledNode[][]} */
function dealt(across) {
  for (let count = 1; ; count++) {
    const rows = Array.from({ length: count }, (_, i) => across.filter((_, at) => at % count === i));
    const isFitting = (/** @type {TitledNode[]} */ row) =>
      row.length < 2 || row.reduce((sum, node) => sum + widthOf(node), -GAP) <= WIDEST;
    if (rows.every(isFitting)) return rows;
  }
}

/**
 * The x of each node of a row, near what is wanted, apart, and within the width as far as they fit.
 * @param {TitledNode[]} row in its order
 * @param {(node: TitledNode) => number} wanted
 * @returns {Map<string, number>}
 */
function rowOf(row, wanted) {
  const found = new Map();
  let to = WIDEST / 2;
  const latest = row.map(() => 0); // from the right: how far each may stand without pushing the next one out
  for (let i = row.length - 1; i >= 0; i--, to = latest[i + 1] - LEFT - GAP) latest[i] = to - rightExtent(row[i].title);
  let from = -WIDEST / 2;
  row.forEach((node, i) => {
    const x = Math.round(Math.max(from + LEFT, Math.min(wanted(node), latest[i])));
    found.set(node.id, x);
    from = x + rightExtent(node.title) + GAP;
  });
  return found;
}

/** @param {TitledNode[]} nodes @param {Places} places @returns {Places} */
function centred(nodes, places) {
  const { left, right } = extent(nodes, places);
  const shift = Math.round((left + right) / 2);
  return new Map([...places].map(([id, place]) => [id, { ...place, x: place.x - shift }]));
}
