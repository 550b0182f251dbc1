// @ts-check
/** Syntax highlighting: code as pieces with the class of their colour. */

import { lazyLibrary } from "./lazy_library.js";

/** @typedef {{ text: string, colour: string | null }} Piece */

/** Longer code is not highlighted. */
const LONGEST = 20_000;

export const highlighter = lazyLibrary(async () => {
  const { highlightTree, tagHighlighter, tags } = await import("../../vendor/code/highlight.mjs");
  const style = tagHighlighter([
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.tagName], class: "hl-key" },
    {
      tag: [tags.string, tags.character, tags.regexp, tags.attributeValue, tags.special(tags.string)],
      class: "hl-text",
    },
    { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], class: "hl-value" },
    { tag: [tags.comment, tags.docComment, tags.meta, tags.processingInstruction], class: "hl-aside" },
    {
      tag: [
        tags.definition(tags.variableName),
        tags.function(tags.variableName),
        tags.function(tags.definition(tags.variableName)),
        tags.className,
        tags.typeName,
        tags.standard(tags.name),
        tags.propertyName,
        tags.attributeName,
      ],
      class: "hl-name",
    },
    { tag: tags.invalid, class: "hl-wrong" },
  ]);
  return { highlightTree, style };
});

/**
 * The whole text, in order.
 * @param {string} text
 * @param {{ highlightTree: any, style: any }} by
 * @param {{ parse: (text: string) => any }} parser
 * @returns {Piece[]}
 */
export function highlight(text, by, parser) {
  if (text.length > LONGEST) return [{ text, colour: null }];
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  const upTo = (/** @type {number} */ end, /** @type {string | null} */ colour) => {
    if (end > at) pieces.push({ text: text.slice(at, end), colour });
    at = Math.max(at, end);
  };
  by.highlightTree(
    parser.parse(text),
    by.style,
    (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ colour) => {
      upTo(from, null);
      upTo(to, colour);
    },
  );
  upTo(text.length, null);
  return pieces;
}
