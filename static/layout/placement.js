// @ts-check
/** Placement of a level's nodes: layers from the ground up; a place once given is kept. Pure. */

import { Graph, layout as dagre } from "../vendor/dagre.mjs";

/** @import { Place } from "../types.d.ts" */
/** @typedef {{ id: string, title: string }} TitledNode */
/** @typedef {[string, string]} Pair source (below) and target (above) */
/** @typedef {Map<string, Place>} Places */
/** @typedef {TitledNode & { pairs: Pair[] }} RemovedNode a node that was taken out, with the edges that it had */

/** Height of a layer, in px at scale 1. */
export const ROW = 108;
/** From a mark's centre to the left end of its petals, and to the start of its label. */
export const LEFT = 34;
const LABEL_AT = 38;
const GAP = 22;
/** Width of a layout where it can be kept, so that a window shows it at a readable scale: wider layers take several rows. */
const WIDEST = 940;
const LINE = 24;
const MOST_LINES = 3;
const EM = 7.9;
/** Least width of a label, in letters of the title. */
const LEAST = 20;

/** Cache: titles are broken again for every frame. @type {Map<string, string[]>} */
const linesByTitle = new Map();

/** The title in at most three lines. @param {string} title @returns {string[]} */
export function titleLines(title) {
  const known = linesByTitle.get(title) ?? breakTitle(title);
  linesByTitle.set(title, known);
  return known;
}

/** @param {string} title @returns {string[]} */
const breakTitle = (title) => wrapText(title, LINE, MOST_LINES);

/**
 * Word wrap: lines of at most `letters`, at most `most` lines.
 * @param {string} text
 * @param {number} letters
 * @param {number} most
 * @returns {string[]}
 */
export function wrapText(text, letters, most) {
  const words = text
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((word) => (word.length > letters ? [`${word.slice(0, letters - 1)}…`] : [word]));
  const found = [""];
  for (const word of words) {
    const longer = `${found[found.length - 1]} ${word}`.trim();
    if (longer.length <= letters) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found.length <= most ? found : [...found.slice(0, most - 1), `${found[most - 1].slice(0, letters - 1)}…`];
}

/**
 * Bounding box of a node with its label, in px.
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Bounds
 */
const HALF = 21;
const HALF_LINE = 9;

/** @param {TitledNode} node @param {Place} place @returns {Bounds} */
export function boundsOf(node, place) {
  const half = HALF + HALF_LINE * (titleLines(node.title).length - 1);
  const y = yOf(place.layer);
  return { left: place.x - LEFT, right: place.x + rightExtent(node.title), top: y - half, bottom: y + half };
}

const NOTE_LETTERS = 34;
const NOTE_LINES = 4;
const NOTE_LETTER = 6.3;
const NOTE_LINE = 18;
const NOTE_GAP = 6;

/**
 * A note below a node's label; null where it would cover another node.
 * @param {string} text @param {TitledNode} node @param {TitledNode[]} nodes all that stand @param {Places} places
 * @returns {{ x: number, y: number, lines: string[] } | null} `y`: the top of its first line
 */
export function marginNote(text, node, nodes, places) {
  const place = places.get(node.id);
  if (!place) return null;
  const noteLines = wrapText(text, NOTE_LETTERS, NOTE_LINES);
  const x = place.x + LABEL_AT;
  const y = boundsOf(node, place).bottom + NOTE_GAP;
  const [right, bottom] = [x + NOTE_LETTERS * NOTE_LETTER, y + noteLines.length * NOTE_LINE];
  const isTaken = nodes.some((other) => {
    const there = other.id !== node.id && places.get(other.id);
    const room = there && boundsOf(other, there);
    return room && room.left < right && room.right > x && room.top < bottom && room.bottom > y;
  });
  return isTaken ? null : { x, y, lines: noteLines };
}

/** Distance from a node's centre to the right end of its label. @param {string} title */
export const rightExtent = (title) =>
  LABEL_AT + Math.ceil(Math.max(LEAST, ...titleLines(title).map((line) => line.length)) * EM);

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

/** Width of a node with its label and the gap beside it. @param {TitledNode} node */
const widthOf = (node) => LEFT + rightExtent(node.title) + GAP;

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

/**
 * A layout with additions: new nodes, and nodes no longer above their prerequisites, take free places.
 * @param {TitledNode[]} nodes
 * @param {Pair[]} pairs
 * @param {Places} standing
 * @returns {Places}
 */
function addToLayout(nodes, pairs, standing) {
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

/** Bounding box of all nodes with labels, in layers and px. @param {TitledNode[]} nodes @param {Places} places */
export function extent(nodes, places) {
  const boxes = nodes.flatMap((node) => {
    const place = places.get(node.id);
    return place ? [{ left: place.x - LEFT, right: place.x + rightExtent(node.title), layer: place.layer }] : [];
  });
  return {
    left: Math.min(0, ...boxes.map((box) => box.left)),
    right: Math.max(0, ...boxes.map((box) => box.right)),
    bottom: Math.min(0, ...boxes.map((box) => box.layer)),
    top: Math.max(0, ...boxes.map((box) => box.layer)),
  };
}

/** Height of a layer in px: 0 is layer 0, up is negative. @param {number} layer */
export const yOf = (layer) => -layer * ROW;
