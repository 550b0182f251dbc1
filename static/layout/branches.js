// @ts-check
/** Routing of branches: curves from mark to mark that avoid the labels between them. Pure. */

import { boundsOf, yOf } from "./measures.js";

/** @import { TitledNode, Pair, Places } from "./measures.js" */
/** @import { Place } from "../types.d.ts" */
/** @typedef {[number, number]} Point */
/** @typedef {import("./measures.js").Bounds & { layer: number }} Obstacle */

/** Clearance on both sides of an obstacle. */
const CLEAR = 14;
/** Cost of a bend, and of each tenth of a curve that crosses a label, in px of detour. */
const BEND = 60;
const HIT = 150;
const MOST_WAYS = 12;
const SAMPLES = 10;

/**
 * The branches as SVG path data, by `source>target`; without those that have an end without a place.
 * @param {Pair[]} pairs
 * @param {TitledNode[]} nodes
 * @param {Places} places
 * @param {{ top: number, bottom: number }} room px kept free of the marks
 * @returns {Map<string, string>}
 */
export function branchPaths(pairs, nodes, places, room) {
  const taken = nodes.flatMap((node) => obstaclesOf(node, places.get(node.id)));
  return new Map(
    pairs.flatMap(([source, target]) => {
      const from = places.get(source);
      const to = places.get(target);
      return from && to ? [[`${source}>${target}`, pathData(bestWay(from, to, taken, room))]] : [];
    }),
  );
}

/** @param {TitledNode} node @param {Place | undefined} place @returns {Obstacle[]} */
function obstaclesOf(node, place) {
  if (!place) return [];
  const room = boundsOf(node, place);
  return [{ ...room, left: room.left - CLEAR, right: room.right + CLEAR, layer: place.layer }];
}

/**
 * The cheapest way up: no crossed label, fewest bends.
 * @param {Place} from
 * @param {Place} to
 * @param {Obstacle[]} taken
 * @param {{ top: number, bottom: number }} room
 * @returns {Point[]}
 */
function bestWay(from, to, taken, room) {
  /** @type {Point} */
  const start = [from.x, yOf(from.layer) - room.top];
  /** @type {Point} */
  const end = [to.x, yOf(to.layer) + room.bottom];
  const wires = wiresBetween(from, to);
  if (!wires.length) return [start, end];
  const between = taken.filter((each) => each.layer > from.layer && each.layer < to.layer);
  const stems = [
    from.x,
    to.x,
    ...between
      .flatMap((each) => [each.left, each.right])
      .sort((a, b) => detour(a, from, to) - detour(b, from, to))
      .slice(0, MOST_WAYS),
  ];
  const ways = [
    [],
    ...stems.map((x) => wires.map((layer) => /** @type {Point} */ ([x, yOf(layer)]))),
    wires.map((layer) => gapNear(from, to, layer, between)),
  ].map((way) => [start, ...way, end]);
  const costs = ways.map((way) => cost(way, between));
  return ways[costs.indexOf(Math.min(...costs))];
}

/** @param {Place} from @param {Place} to */
function wiresBetween(from, to) {
  const wires = [];
  for (let layer = Math.floor(from.layer) + 1; layer < to.layer; layer++) wires.push(layer);
  return wires;
}

/** @param {number} x @param {Place} from @param {Place} to */
const detour = (x, from, to) => Math.abs(x - from.x) + Math.abs(x - to.x);

/**
 * The point where a straight line crosses a layer, or the nearest free one.
 * @param {Place} from
 * @param {Place} to
 * @param {number} layer
 * @param {Obstacle[]} taken
 * @returns {Point}
 */
function gapNear(from, to, layer, taken) {
  const wanted = from.x + ((to.x - from.x) * (layer - from.layer)) / (to.layer - from.layer);
  const here = taken.filter((each) => Math.abs(each.layer - layer) < 0.4);
  const free = [wanted, ...here.flatMap((each) => [each.left, each.right])].filter((x) =>
    here.every((each) => x <= each.left || x >= each.right),
  );
  return [Math.round(free.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0]), yOf(layer)];
}

/** @param {Point[]} way @param {Obstacle[]} taken */
function cost(way, taken) {
  let sum = 0;
  for (let i = 1; i < way.length; i++) {
    const [x0, y0] = way[i - 1];
    const [x1, y1] = way[i];
    if (x0 !== x1) sum += BEND + Math.abs(x1 - x0);
    for (let step = 0; step <= SAMPLES; step++) {
      const [x, y] = onCurve(x0, y0, x1, y1, step / SAMPLES);
      if (taken.some((each) => x > each.left + CLEAR && x < each.right - CLEAR && y > each.top && y < each.bottom))
        sum += HIT;
    }
  }
  return sum;
}

const STEEP = 0.55;

/**
 * Point of a curve that leaves and arrives vertically.
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 * @param {number} t
 * @returns {Point}
 */
function onCurve(x0, y0, x1, y1, t) {
  const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3];
  const bend = (y0 - y1) * STEEP;
  return [(a + b) * x0 + (c + d) * x1, a * y0 + b * (y0 - bend) + c * (y1 + bend) + d * y1];
}

/** @param {Point[]} way */
function pathData(way) {
  let d = `M${way[0][0]} ${way[0][1]}`;
  for (let i = 1; i < way.length; i++) {
    const [x0, y0] = way[i - 1];
    const [x1, y1] = way[i];
    const bend = Math.round((y0 - y1) * STEEP);
    d += `C${x0} ${y0 - bend} ${x1} ${y1 + bend} ${x1} ${y1}`;
  }
  return d;
}
