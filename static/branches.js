// @ts-check
/** The way of each branch: up from one mark to the next, past the labels that stand between. Pure. */

import { roomOf, yOf } from "./layout.js";

/** @import { Leaf, Pair, Places } from "./layout.js" */
/** @import { Place } from "./types.d.ts" */
/** @typedef {[number, number]} Point */
/** @typedef {import("./layout.js").Room & { layer: number }} Taken */

/** Kept free on both sides of what a branch passes. */
const CLEAR = 14;
/** A bend counts as much as so many px of a detour, and so does each tenth of a curve that runs through a label. */
const BEND = 60;
const HIT = 150;
const MOST_WAYS = 12;
const SAMPLES = 10;

/**
 * Each branch as a path's `d`, by `source>target`; those with an end that has no place are left out.
 * @param {Pair[]} pairs @param {Leaf[]} nodes @param {Places} places @param {{ top: number, bottom: number }} room px kept free of the marks
 * @returns {Map<string, string>}
 */
export function branches(pairs, nodes, places, room) {
  const taken = nodes.flatMap((node) => takenBy(node, places.get(node.id)));
  return new Map(pairs.flatMap(([source, target]) => {
    const from = places.get(source);
    const to = places.get(target);
    return from && to ? [[`${source}>${target}`, drawn(best(from, to, taken, room))]] : [];
  }));
}

/** @param {Leaf} node @param {Place | undefined} place @returns {Taken[]} */
function takenBy(node, place) {
  if (!place) return [];
  const room = roomOf(node, place);
  return [{ ...room, left: room.left - CLEAR, right: room.right + CLEAR, layer: place.layer }];
}

/** Of the ways up, the one that crosses no label and bends least. @param {Place} from @param {Place} to @param {Taken[]} taken @param {{ top: number, bottom: number }} room @returns {Point[]} */
function best(from, to, taken, room) {
  /** @type {Point} */
  const start = [from.x, yOf(from.layer) - room.top];
  /** @type {Point} */
  const end = [to.x, yOf(to.layer) + room.bottom];
  const wires = wiresBetween(from, to);
  if (!wires.length) return [start, end];
  const between = taken.filter((each) => each.layer > from.layer && each.layer < to.layer);
  const stems = [from.x, to.x, ...between.flatMap((each) => [each.left, each.right]).sort((a, b) => detour(a, from, to) - detour(b, from, to)).slice(0, MOST_WAYS)];
  const ways = [[], ...stems.map((x) => wires.map((layer) => /** @type {Point} */ ([x, yOf(layer)]))), wires.map((layer) => gapNear(from, to, layer, between))]
    .map((way) => [start, ...way, end]);
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

/** Where a straight line would pass a wire, or the free place next to that. @param {Place} from @param {Place} to @param {number} layer @param {Taken[]} taken @returns {Point} */
function gapNear(from, to, layer, taken) {
  const wanted = from.x + ((to.x - from.x) * (layer - from.layer)) / (to.layer - from.layer);
  const here = taken.filter((each) => Math.abs(each.layer - layer) < 0.4);
  const free = [wanted, ...here.flatMap((each) => [each.left, each.right])].filter((x) => here.every((each) => x <= each.left || x >= each.right));
  return [Math.round(free.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0]), yOf(layer)];
}

/** @param {Point[]} way @param {Taken[]} taken */
function cost(way, taken) {
  let sum = 0;
  for (let i = 1; i < way.length; i++) {
    const [x0, y0] = way[i - 1];
    const [x1, y1] = way[i];
    if (x0 !== x1) sum += BEND + Math.abs(x1 - x0);
    for (let step = 0; step <= SAMPLES; step++) {
      const [x, y] = onCurve(x0, y0, x1, y1, step / SAMPLES);
      if (taken.some((each) => x > each.left + CLEAR && x < each.right - CLEAR && y > each.top && y < each.bottom)) sum += HIT;
    }
  }
  return sum;
}

const STEEP = 0.55;

/** A point of the curve that leaves and arrives upright. @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {number} t @returns {Point} */
function onCurve(x0, y0, x1, y1, t) {
  const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3];
  const bend = (y0 - y1) * STEEP;
  return [(a + b) * x0 + (c + d) * x1, a * y0 + b * (y0 - bend) + c * (y1 + bend) + d * y1];
}

/** @param {Point[]} way */
function drawn(way) {
  let d = `M${way[0][0]} ${way[0][1]}`;
  for (let i = 1; i < way.length; i++) {
    const [x0, y0] = way[i - 1];
    const [x1, y1] = way[i];
    const bend = Math.round((y0 - y1) * STEEP);
    d += `C${x0} ${y0 - bend} ${x1} ${y1 + bend} ${x1} ${y1}`;
  }
  return d;
}
