// @ts-check
/** Tint: pieces of a Markdown text that are drawn as marked. Pure. */

const BEGIN = "\u2e28";
const END = "\u2e29";
const SIGNS = new RegExp(`[${BEGIN}${END}]`, "gu");
const PARTS = new RegExp(`([${BEGIN}${END}])`, "u");

/** Whether what is drawn now is within a piece. @typedef {{ on: boolean }} Tint */

/**
 * The text with signs around the pieces, which stand in it word for word; a piece that does not is left out.
 * @param {string} text @param {string[]} pieces
 */
export function withSigns(text, pieces) {
  let signed = text.replace(SIGNS, "");
  for (const piece of pieces) {
    const at = signed.indexOf(piece);
    if (at >= 0) signed = `${signed.slice(0, at)}${BEGIN}${piece}${END}${signed.slice(at + piece.length)}`;
  }
  return signed;
}

/** The text without signs. @param {string} text */
export const withoutSigns = (text) => text.replace(SIGNS, "");

/**
 * The parts of a run of text, each with whether it is within a piece; the tint is left as the run leaves it.
 * @param {string} text @param {Tint} tint
 */
export function tintedParts(text, tint) {
  const parts = [];
  for (const part of text.split(PARTS)) {
    if (part === BEGIN) tint.on = true;
    else if (part === END) tint.on = false;
    else if (part) parts.push({ text: part, on: tint.on });
  }
  return parts;
}
