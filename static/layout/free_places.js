// @ts-check
/** Free places in a layout that stands: for nodes that come, and for those that were removed. Pure. */

import { extent, GAP, LEFT, rightExtent, WIDEST } from "./measures.js";

/** @import { Place } from "../types.d.ts" */
/** @import { Pair, Places, RemovedNode, TitledNode } from "./measures.js" */

/**
 * A layout with additions: new nodes, and nodes no longer above their prerequisites, take free places.
 * @param {TitledNode[]} nodes
 * @param {Pair[]} pairs
 * @param {Places} standing
 * @returns {Places}
 */
export function addToLayout(nodes, pairs, standing) {
  const places = new Map(standing);
  const height = layersOf(nodes, pairs);
  const below = groupedBy(pairs, 1);
  const above = groupedBy(pairs, 0);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of [...nodes].sort((a, b) => (height.get(a.id) ?? 0) - (height.get(b.id) ?? 0))) {
    const lower = (below.get(node.id) ?? []).flatMap(([id]) => places.get(id) ?? []);
    const now = places.get(node.id);
    if (now && lower.every((place) => place.layer < now.layer)) continue;
    places.delete(node.id);
    const upper = (above.get(node.id) ?? []).flatMap(([, id]) => places.get(id) ?? []);
    const layer = layerBetween(lower, upper, groundLayer(places));
    const wanted =
      mean([...lower, ...upper].map((place) => place.x)) ??
      now?.x ??
      mean([...places.values()].map((place) => place.x)) ??
      0;
    const ceiling = Math.min(...upper.map((place) => place.layer));
    places.set(node.id, freePlace(wanted, node, { layer, ceiling }, places, byId));
  }
  return places;
}

/**
 * Places for removed nodes near their former neighbours; no other node moves.
 * @param {RemovedNode[]} gone
 * @param {TitledNode[]} nodes
 * @param {Places} places of `nodes`
 * @returns {Places}
 */
export function ghostPlaces(gone, nodes, places) {
  const taken = new Map(places);
  const ghosts = new Map();
  const byId = new Map([...nodes, ...gone].map((node) => [node.id, node]));
  for (const node of gone) {
    const lower = node.pairs.flatMap(([source, target]) => (target === node.id && places.get(source)) || []);
    const upper = node.pairs.flatMap(([source, target]) => (source === node.id && places.get(target)) || []);
    const layer = wireBetween(lower, upper, groundLayer(places));
    const wanted = mean([...lower, ...upper].map((place) => place.x)) ?? 0;
    const place = { x: /** @type {number} */ (freeX(wanted, node, layer, taken, byId)), layer };
    taken.set(node.id, place);
    ghosts.set(node.id, place);
  }
  return ghosts;
}

/**
 * The layer of a removed node: above its lower ends, else below its upper ones.
 * @param {Place[]} lower
 * @param {Place[]} upper
 * @param {number} ground
 */
function wireBetween(lower, upper, ground) {
  if (lower.length) return Math.floor(Math.max(...lower.map((place) => place.layer))) + 1;
  return upper.length ? Math.max(ground, Math.ceil(Math.min(...upper.map((place) => place.layer))) - 1) : ground;
}

/** The lowest layer in use, where entries stand. @param {Places} places */
export const groundLayer = (places) => Math.min(0, ...[...places.values()].map((place) => place.layer));

/**
 * The layer above all lower ends and below all upper ones; half a layer if no whole one is free.
 * @param {Place[]} lower
 * @param {Place[]} upper
 * @param {number} ground
 */
function layerBetween(lower, upper, ground) {
  const floor = lower.length ? Math.max(...lower.map((place) => place.layer)) : null;
  const ceiling = upper.length ? Math.min(...upper.map((place) => place.layer)) : null;
  if (floor === null) return ceiling === null || ceiling > ground ? ground : ceiling - 1;
  const next = Math.floor(floor) + 1;
  return ceiling === null || next < ceiling || ceiling <= floor ? next : (floor + ceiling) / 2;
}

/** @param {number[]} numbers */
const mean = (numbers) =>
  numbers.length ? Math.round(numbers.reduce((sum, each) => sum + each, 0) / numbers.length) : null;

/**
 * The lowest place from `layer` on that keeps the layout in its width; where there is none, the nearest one in it.
 * @param {number} wanted
 * @param {TitledNode} node
 * @param {{ layer: number, ceiling: number }} between
 * @param {Places} places
 * @param {Map<string, TitledNode>} byId
 * @returns {Place}
 */
function freePlace(wanted, node, { layer, ceiling }, places, byId) {
  const { left, right, top } = extent([...byId.values()], places);
  for (let row = layer; row < Math.min(ceiling, top + 2); row++) {
    const x = freeX(wanted, node, row, places, byId, [right - WIDEST + LEFT, left + WIDEST - rightExtent(node.title)]);
    if (x !== undefined) return { x, layer: row };
  }
  return { x: /** @type {number} */ (freeX(wanted, node, layer, places, byId)), layer };
}

/**
 * The free x nearest to `wanted`, within the bounds.
 * @param {number} wanted
 * @param {TitledNode} node
 * @param {number} layer
 * @param {Places} places
 * @param {Map<string, TitledNode>} byId
 * @param {[number, number]} [bounds]
 * @returns {number | undefined}
 */
function freeX(wanted, node, layer, places, byId, [least, most] = [-Infinity, Infinity]) {
  const right = rightExtent(node.title);
  const taken = [...places].flatMap(([id, place]) =>
    Math.abs(place.layer - layer) < 0.8
      ? [{ from: place.x - LEFT - GAP, to: place.x + rightExtent(byId.get(id)?.title ?? "") + GAP }]
      : [],
  );
  const isFree = (/** @type {number} */ x) =>
    x >= least && x <= most && taken.every((each) => x + right <= each.from || x - LEFT >= each.to);
  const tried = [
    Math.max(least, Math.min(wanted, most)),
    ...taken.flatMap((each) => [each.to + LEFT, each.from - right]),
  ];
  return tried.filter(isFree).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
}

/**
 * Longest way up from a node without prerequisites.
 * @param {TitledNode[]} nodes
 * @param {Pair[]} pairs
 * @returns {Map<string, number>}
 */
function layersOf(nodes, pairs) {
  const layers = new Map(nodes.map((node) => [node.id, 0]));
  const below = groupedBy(pairs, 1);
  const above = groupedBy(pairs, 0);
  const open = new Map(nodes.map((node) => [node.id, below.get(node.id)?.length ?? 0]));
  const queue = nodes.filter((node) => !open.get(node.id)).map((node) => node.id);
  for (const id of queue) {
    for (const [, target] of above.get(id) ?? []) {
      layers.set(target, Math.max(layers.get(target) ?? 0, (layers.get(id) ?? 0) + 1));
      open.set(target, (open.get(target) ?? 1) - 1);
      if (!open.get(target)) queue.push(target);
    }
  }
  return layers;
}

/** @param {Pair[]} pairs @param {0 | 1} end @returns {Map<string, Pair[]>} */
function groupedBy(pairs, end) {
  const groups = new Map();
  for (const pair of pairs) groups.set(pair[end], [...(groups.get(pair[end]) ?? []), pair]);
  return groups;
}
