// @ts-check
/** Note in the margin of a map: below a node's label, where nothing else stands. Pure. */

import { boundsOf, LABEL_AT, wrapText } from "./measures.js";

/** @import { Places, TitledNode } from "./measures.js" */

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
