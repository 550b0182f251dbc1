// @ts-check
/** Formulas in Markdown: $…$ and \(…\) inline, $$…$$ and \[…\] as blocks. Pure. */

/** @typedef {{ raw: string, tex: string, display: boolean, closed: boolean }} Found */

/** Longest formula that is rendered. */
export const LONGEST = 4000;

const BLOCK = [
  /^ {0,3}\$\$((?:\\[\s\S]|[^\\$]|\$(?!\$))+?)\$\$[ \t]*(?:\n+|$)/,
  /^ {0,3}\\\[((?:\\(?!\])[\s\S]|[^\\])+?)\\\][ \t]*(?:\n+|$)/,
];
/** A block whose end has not been written yet, up to an empty line. */
const OPEN_BLOCK = /^ {0,3}(?:\$\$((?:(?!\$\$)[^\n]|\n(?!\s*\n))*)|\\\[((?:(?!\\\])[^\n]|\n(?!\s*\n))*))$/;
const DISPLAY = [/^\$\$((?:\\[\s\S]|[^\\$])+?)\$\$/, /^\\\[((?:\\(?!\])[\s\S]|[^\\])+?)\\\]/];
const INLINE = /^\\\(((?:\\(?!\))[\s\S]|[^\\])+?)\\\)/;
/** A single dollar opens before a word and closes behind one, never before a digit: $5 and $10 are prices. */
const DOLLAR = /^\$(?![\s$])((?:\\[\s\S]|[^\\$])*?(?:\\\S|[^\s\\$]))\$(?!\d)/;
const EMPTY_LINE = /\n\s*\n/;
const WORD = /[\p{L}\p{N}]$/u;
/** Lookahead limit, so that long texts are scanned in linear time. */
const AHEAD = 2000;

/** @param {RegExp[]} patterns @param {string} text @param {boolean} display @returns {Found | null} */
function first(patterns, text, display) {
  for (const pattern of patterns) {
    const found = pattern.exec(text.slice(0, LONGEST));
    if (found && found[1].trim() && !EMPTY_LINE.test(found[1]))
      return { raw: found[0], tex: found[1].trim(), display, closed: true };
  }
  return null;
}

/** A formula that begins a block here. @param {string} text @returns {Found | null} */
export function blockAt(text) {
  const found = first(BLOCK, text, true);
  if (found) return found;
  const open = text.length > LONGEST ? null : OPEN_BLOCK.exec(text);
  return open && { raw: open[0], tex: open[1] ?? open[2], display: true, closed: false };
}

/**
 * A formula that begins in a line here.
 * @param {string} text
 * @param {string} before what stands before it
 * @returns {Found | null}
 */
export function inlineAt(text, before) {
  if (text.startsWith("\\")) return first([INLINE], text, false) ?? first([DISPLAY[1]], text, true);
  if (WORD.test(before.slice(-2))) return null;
  return first([DISPLAY[0]], text, true) ?? first([DOLLAR], text, false);
}

/**
 * The next position where a formula could begin.
 * @param {string} text
 * @returns {number | undefined}
 */
function nextInline(text) {
  const at = text.slice(0, AHEAD).search(/\$|\\[([]/);
  if (at >= 0) return at;
  return text.length > AHEAD ? AHEAD : undefined;
}

/** Extension for marked. @type {import("marked").MarkedExtension} */
export const mathematics = {
  extensions: [
    {
      name: "mathBlock",
      level: "block",
      start: (text) => text.match(/\n {0,3}(?:\$\$|\\\[)/)?.index,
      tokenizer: (text) => told("mathBlock", blockAt(text)),
    },
    {
      name: "math",
      level: "inline",
      start: nextInline,
      tokenizer: (text, tokens) => told("math", inlineAt(text, tokens.at(-1)?.raw ?? "")),
    },
  ],
};

/** @param {string} type @param {Found | null} found @returns {any} */
const told = (type, found) => found && { type, ...found };
