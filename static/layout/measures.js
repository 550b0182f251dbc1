// @ts-check
/** Measures of a layout: rows, labels in lines, and the room that nodes take. Pure. */

/** @import { Place } from "../types.d.ts" */
/** @typedef {{ id: string, title: string }} TitledNode */
/** @typedef {[string, string]} Pair source (below) and target (above) */
/** @typedef {Map<string, Place>} Places */
/** @typedef {TitledNode & { pairs: Pair[] }} RemovedNode a node that was taken out, with the edges that it had */

/** Height of a layer, in px at scale 1. */
export const ROW = 108;
/** From a mark's centre to the left end of its petals, and to the start of its label. */
export const LEFT = 34;
export const LABEL_AT = 38;
export const GAP = 22;
/** Width of a layout where it can be kept, so that a window shows it at a readable scale: wider layers take several rows. */
export const WIDEST = 940;
const LINE = 24;
const MOST_LINES = 3;
const EM = 7.9;
const STATUS_LETTER = 6.3;
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

/** Distance from a node's centre to the right end of its label. @param {string} title */
export const rightExtent = (title) =>
  LABEL_AT + Math.ceil(Math.max(LEAST, ...titleLines(title).map((line) => line.length)) * EM);

/** Letters of a status that have room below a title. @param {string} title */
export const statusRoom = (title) => Math.floor((rightExtent(title) - LABEL_AT + GAP) / STATUS_LETTER);

/** Width of a node with its label and the gap beside it. @param {TitledNode} node */
export const widthOf = (node) => LEFT + rightExtent(node.title) + GAP;

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
