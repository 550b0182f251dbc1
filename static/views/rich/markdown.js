// @ts-check
/** Markdown as elements: marked's tokens become nodes, never markup. */

import { Marked } from "marked";
import { t } from "../../i18n/notes.js";
import { html } from "../../lib/html.js";
import { CodeBlock } from "./code.js";
import { Diagram } from "./diagram.js";
import { BackLink, NoteReference } from "./footnotes.js";
import { Formula } from "./formula.js";
import { notesAndTerms } from "./notes_and_terms.js";
import { mathematics } from "./tex.js";
import { tintedParts, withSigns, withoutSigns } from "./tint.js";

/** @import { ComponentChildren } from "preact" */
/** @typedef {{ type: string, raw: string, text?: string, tokens?: Token[], [field: string]: any }} Token */

const FOREIGN = /^(https?|mailto):/i;
const OWN = /^[#/]/;
const HERE = "http://here.invalid";
const DEEPEST = 20;
const CLOSED_FENCE = /\n {0,3}(?:`{3,}|~{3,})\s*$/;
/** Attributes of an element in the manner of kramdown: `{: .wide}`. */
const ATTRIBUTES = /\{:[^{}\n]{0,200}\}/g;
const CODE_OR_DOUBLED = /(```[\s\S]*?```|`[^`\n]*`)|\\\\([()[\]])/g;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const PER_CENT = /(\d) %/g;
const TAGS = /<[^<>]*>/g;
const marked = new Marked(mathematics, notesAndTerms);

/** How a document is drawn: its tint, and without the markup that it has beside Markdown; null for other texts.
 * @type {import("./tint.js").Tint | null}
 */
let tint = null;

/** Markdown text; HTML in it is shown as source. @param {{ text: string }} props */
export const Markdown = ({ text }) => html`${read(text)}`;

/**
 * Text of a document, with pieces of it marked; of HTML in it only the words are shown.
 * @param {{ text: string, tinted?: string[] }} props
 */
export function DocumentText({ text, tinted = [] }) {
  tint = { on: false };
  try {
    return html`${read(withPlainFormulas(withSigns(text, tinted)))}`;
  } finally {
    tint = null;
  }
}

/** The text with `\\\\(…\\\\)`, as kramdown writes formulas, as `\\(…\\)`; code stays. @param {string} text */
const withPlainFormulas = (text) =>
  text.replace(CODE_OR_DOUBLED, (found, code, bracket) => (code ? found : `\\${bracket}`));

/** @param {string} text @returns {ComponentChildren} */
function read(text) {
  try {
    return withNotes(marked.lexer(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return html`<p>${text}</p>`; // nested too deeply: shown as source
  }
}

/**
 * The blocks, and after them the footnotes that stand among them.
 * @param {Token[]} tokens
 */
function withNotes(tokens) {
  /** @type {Map<string, Token>} */
  const notes = new Map();
  /** @type {Set<string>} */
  const referred = new Set();
  /** @type {Token[]} */
  const references = [];
  marked.walkTokens(/** @type {any} */ (tokens), (token) => {
    const found = /** @type {Token} */ (token);
    if (found.type === "footnote" && !notes.has(found.label)) notes.set(found.label, found);
    if (found.type === "noteReference") references.push(found);
  });
  for (const reference of references) {
    reference.isKnown = notes.has(reference.label);
    if (reference.isKnown) referred.add(reference.label);
  }
  const text = blocks(tokens, 0);
  if (!notes.size) return text;
  const list = [...notes.values()].map(
    ({ label, tokens: body }) => html`<li data-note=${label} tabindex="-1">
      <span class="note-label" aria-hidden="true">${label}</span>
      <div>${blocks(body, 1)}${referred.has(label) && html`<${BackLink} label=${label} />`}</div>
    </li>`,
  );
  return html`<div class="with-notes">
    ${text}
    <ol class="footnotes" aria-label=${t("rich.notes")}>
      ${list}
    </ol>
  </div>`;
}

/** The source of tokens that are nested too deeply. @param {Token[]} tokens */
const raw = (tokens) => tokens.map((token) => token.raw).join("");

/** @param {Token[] | undefined} tokens @param {number} depth @returns {ComponentChildren} */
const blocks = (tokens = [], depth) => (depth > DEEPEST ? raw(tokens) : tokens.map((token) => block(token, depth + 1)));

/** @param {Token} token @param {number} depth @returns {ComponentChildren} */
function block(token, depth) {
  switch (token.type) {
    case "space":
    case "def":
    case "footnote": // at the end of the text
      return "";
    case "heading":
      return html`<p><strong>${inline(token.tokens, depth)}</strong></p>`;
    case "paragraph":
      return html`<p>${inline(token.tokens, depth)}</p>`;
    case "text":
      return token.tokens ? inline(token.tokens, depth) : plain(token);
    case "blockquote":
      return html`<blockquote>${blocks(token.tokens, depth)}</blockquote>`;
    case "list":
      return list(token, depth);
    case "code":
      return fence(token);
    case "mathBlock":
      return html`<${Formula} ...${formula(token)} />`;
    case "table":
      return table(token, depth);
    case "definitions":
      return html`<dl>${token.tokens?.map((part) => definition(part, depth))}</dl>`;
    case "hr":
      return html`<hr />`;
    case "html":
      return tint ? htmlWords(token) : html`<p>${token.raw}</p>`;
    default:
      return html`<p>${token.raw}</p>`;
  }
}

/** Code, or the drawing that it stands for once its last line has come. @param {Token} token */
function fence(token) {
  const lang = /^[\w+#-]{1,20}/.exec(token.lang ?? "")?.[0].toLowerCase() ?? "";
  return lang === "mermaid" && CLOSED_FENCE.test(token.raw)
    ? html`<${Diagram} source=${token.text} />`
    : html`<${CodeBlock} text=${tint ? withoutSigns(token.text ?? "") : token.text} lang=${lang} />`;
}

/** @param {Token} token */
const formula = ({ raw, tex, display, closed }) => ({
  raw: unsigned(raw.trim()),
  tex: closed ? unsigned(tex) : null,
  display,
});

/** @param {Token} token @param {number} depth */
function list(token, depth) {
  const items = token.items.map((/** @type {Token} */ item) => html`<li>${blocks(item.tokens, depth)}</li>`);
  return token.ordered ? html`<ol start=${token.start || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
}

/** A term, or what it means. @param {Token} part @param {number} depth */
const definition = (part, depth) =>
  part.type === "term" ? html`<dt>${inline(part.tokens, depth)}</dt>` : html`<dd>${blocks(part.tokens, depth)}</dd>`;

/** A table; without a head where that is empty. @param {Token} token @param {number} depth */
const table = (token, depth) => html`<div class="table">
  <table>
    ${
      token.header.some((/** @type {Token} */ cell) => cell.text) &&
      html`<thead>
        <tr>${token.header.map((/** @type {Token} */ cell) => head(cell, depth))}</tr>
      </thead>`
    }
    <tbody>
      ${token.rows.map(
        (/** @type {Token[]} */ row) => html`<tr>
          ${row.map((cell) => html`<td>${inline(cell.tokens, depth)}</td>`)}
        </tr>`,
      )}
    </tbody>
  </table>
</div>`;

/** A cell of the head; one without a text heads nothing. @param {Token} cell @param {number} depth */
const head = (cell, depth) => (cell.text ? html`<th>${inline(cell.tokens, depth)}</th>` : html`<td></td>`);

/** @param {Token[] | undefined} tokens @param {number} depth @returns {ComponentChildren} */
const inline = (tokens = [], depth) => (depth > DEEPEST ? raw(tokens) : tokens.map((token) => piece(token, depth + 1)));

/** @param {Token} token @param {number} depth @returns {ComponentChildren} */
function piece(token, depth) {
  switch (token.type) {
    case "strong":
      return html`<strong>${inline(token.tokens, depth)}</strong>`;
    case "em":
      return html`<em>${inline(token.tokens, depth)}</em>`;
    case "del":
      return html`<del>${inline(token.tokens, depth)}</del>`;
    case "codespan":
      return drawnIn(token, html`<code>${unsigned(token.text ?? "")}</code>`);
    case "math":
      return drawnIn(token, html`<${Formula} ...${formula(token)} />`);
    case "html":
      return tint ? "" : token.raw;
    case "br":
      return html`<br />`;
    case "noteReference":
      return reference(token);
    case "link":
      return isSafe(token.href) && !(tint && token.href.startsWith("#"))
        ? html`<a href=${token.href} rel="noopener noreferrer" target="_blank">${inline(token.tokens, depth)}</a>`
        : inline(token.tokens, depth);
    case "image":
      return token.text; // pictures come from nowhere but ourselves
    case "text":
      return token.tokens ? inline(token.tokens, depth) : plain(token);
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

/** A reference to a footnote; behind a word also one whose text stands elsewhere. @param {Token} token */
function reference({ raw, label, isKnown, follows }) {
  if (isKnown) return html`<${NoteReference} label=${label} />`;
  return follows ? html`<sup>${label}</sup>` : raw;
}

/**
 * Whether an address leads to the web, to a mailbox or to a page of ours, also after a browser has read it in its own
 * way.
 * @param {string} href
 */
function isSafe(href) {
  if (!URL.canParse(href, HERE)) return false;
  return FOREIGN.test(href) || (OWN.test(href) && new URL(href, HERE).origin === HERE);
}

/**
 * A text as it was written: marked has escaped it for markup, which this is not. No line ends before a percent sign.
 * @param {Token} token
 */
const plain = (token) =>
  tint ? tintedWords(token.raw.replace(ATTRIBUTES, "")) : token.raw.replace(PER_CENT, "$1\u00a0%");

/** Without the signs of a tint. @param {string} text */
const unsigned = (text) => (tint ? withoutSigns(text) : text);

/** Something drawn, marked where a tinted piece begins or goes on. @param {Token} token @param {ComponentChildren} drawn */
function drawnIn(token, drawn) {
  if (!tint) return drawn;
  const isOn = tint.on;
  return tintedParts(token.raw, tint).some((part) => part.on) || isOn ? html`<mark>${drawn}</mark>` : drawn;
}

/** @param {string} words @returns {ComponentChildren} */
const tintedWords = (words) =>
  tint && tintedParts(words, tint).map(({ text, on }) => (on ? html`<mark>${text}</mark>` : text));

/** The words of a block of HTML. @param {Token} token */
function htmlWords(token) {
  const words = token.raw.replace(COMMENT, "").replace(TAGS, " ").trim();
  return words && html`<p>${tintedWords(words)}</p>`;
}
