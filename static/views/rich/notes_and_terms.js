// @ts-check
/** Definition lists and footnotes in Markdown, as the readers of documents and PHP Markdown Extra write them. Pure. */

/** @import { MarkedExtension } from "marked" */

/** Lookahead for where a paragraph ends, so that long texts are scanned in linear time. */
const AHEAD = 4000;
/** Longest list of definitions, or footnote, that is read as one. */
const LONGEST = 8000;
const LABEL = "\\[\\^([^\\]\\s^]{1,20})\\]";
const NOTE = new RegExp(`^ {0,3}${LABEL}:[ \\t]*`);
const REFERENCE = new RegExp(`^${LABEL}`);
const NOTE_BELOW = new RegExp(`\\n {0,3}${LABEL}:`);
const TERM_BELOW = /\n(?=[^\n]+\n(?:[ \t]*\n)? {0,2}:[ \t]+\S)/;
const MEANING = /^ {0,2}:[ \t]+(?=\S)/;
const INDENTED = /^(?: {2,4}|\t)/;
/** A line that begins another block cannot be a term. */
const NO_TERM = /^(?: {4}|\t| {0,3}(?:[#>|:]|[-*+][ \t]|\d{1,9}[.)][ \t]|`{3}|~{3}|\$\$|\[\^))/;

/**
 * The lines that go on from the first one of a container: those that are indented, and those right below.
 * @param {string[]} lines
 * @param {number} from index of its first line
 * @param {string} first the text of that line
 * @param {(at: number) => boolean} ends whether a line begins something else
 */
function container(lines, from, first, ends) {
  const body = [first];
  let end = from + 1;
  for (let at = end; at < lines.length; at++) {
    if (!lines[at].trim()) continue;
    const indented = INDENTED.test(lines[at]);
    if (!indented && (at > end || ends(at))) break;
    while (end < at) body.push(lines[end++].trim());
    body.push(lines[at].replace(INDENTED, ""));
    end = at + 1;
  }
  return { body: body.join("\n"), end };
}

/** The next line that is not empty, at most one further. @param {string[]} lines @param {number} at */
const skipEmpty = (lines, at) => (lines[at]?.trim() === "" ? at + 1 : at);

/** Whether a term stands in this line: a meaning is right below. @param {string[]} lines @param {number} at */
const isTerm = (lines, at) =>
  Boolean(lines[at]?.trim()) && !NO_TERM.test(lines[at]) && MEANING.test(lines[skipEmpty(lines, at + 1)] ?? "");

/**
 * A definition list that begins the text.
 * @param {string} text
 * @returns {{ raw: string, parts: { isTerm: boolean, text: string }[] } | null}
 */
export function definitionsAt(text) {
  if (NO_TERM.test(text) || !isTerm(text.slice(0, AHEAD).split("\n", 3), 0)) return null;
  const lines = text.slice(0, LONGEST).split("\n");
  const parts = [];
  let end = 0;
  for (let at = 0; isTerm(lines, at); at = skipEmpty(lines, end)) {
    parts.push({ isTerm: true, text: lines[at].trim() });
    for (let below = skipEmpty(lines, at + 1); MEANING.test(lines[below] ?? ""); below = skipEmpty(lines, end)) {
      const first = lines[below].replace(MEANING, "");
      const ends = (/** @type {number} */ line) => MEANING.test(lines[line]) || isTerm(lines, line);
      const meaning = container(lines, below, first, ends);
      parts.push({ isTerm: false, text: meaning.body });
      end = meaning.end;
    }
  }
  return { raw: rawOf(lines, end), parts };
}

/**
 * A footnote's text that begins the text.
 * @param {string} text
 * @returns {{ raw: string, label: string, body: string } | null}
 */
export function footnoteAt(text) {
  const found = NOTE.exec(text);
  if (!found) return null;
  const lines = text.slice(0, LONGEST).split("\n");
  const { body, end } = container(lines, 0, lines[0].slice(found[0].length), (at) => NOTE.test(lines[at]));
  return { raw: rawOf(lines, end), label: found[1], body };
}

/** @param {string[]} lines @param {number} end */
const rawOf = (lines, end) => lines.slice(0, end).join("\n") + (end < lines.length ? "\n" : "");

/** Extension for marked. @type {MarkedExtension} */
export const notesAndTerms = {
  extensions: [
    {
      name: "definitions",
      level: "block",
      start: (text) => text.slice(0, AHEAD).match(TERM_BELOW)?.index,
      tokenizer(text) {
        const found = definitionsAt(text);
        if (!found) return;
        const tokens = found.parts.map((part) =>
          part.isTerm
            ? { type: "term", raw: part.text, tokens: this.lexer.inlineTokens(part.text, []) }
            : { type: "meaning", raw: part.text, tokens: this.lexer.blockTokens(part.text, []) },
        );
        return { type: "definitions", raw: found.raw, tokens };
      },
    },
    {
      name: "footnote",
      level: "block",
      start: (text) => text.slice(0, AHEAD).match(NOTE_BELOW)?.index,
      tokenizer(text) {
        const found = footnoteAt(text);
        if (!found) return;
        const { raw, label, body } = found;
        return { type: "footnote", raw, label, tokens: this.lexer.blockTokens(body, []) };
      },
    },
    {
      name: "noteReference",
      level: "inline",
      start: (text) => text.slice(0, AHEAD).indexOf("[^"),
      tokenizer(text, tokens) {
        const found = REFERENCE.exec(text);
        if (!found) return;
        return {
          type: "noteReference",
          raw: found[0],
          label: found[1],
          follows: /\S$/.test(tokens.at(-1)?.raw ?? ""),
        };
      },
    },
  ],
};
