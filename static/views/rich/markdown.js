// @ts-check
/** Markdown as elements: marked's tokens become nodes, never markup. */

import { Marked } from "marked";
import { html } from "../../lib/html.js";
import { CodeBlock } from "./code.js";
import { Diagram } from "./diagram.js";
import { Formula } from "./formula.js";
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
const TAGS = /<[^<>]*>/g;
const marked = new Marked(mathematics);

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
    return blocks(marked.lexer(text), 0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return html`<p>${text}</p>`; // nested too deeply: shown as source
  }
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

/** @param {Token} token @param {number} depth */
const table = (token, depth) => html`<div class="table">
  <table>
    <thead>
      <tr>${token.header.map((/** @type {Token} */ cell) => html`<th>${inline(cell.tokens, depth)}</th>`)}</tr>
    </thead>
    <tbody>
      ${token.rows.map(
        (/** @type {Token[]} */ row) => html`<tr>
          ${row.map((cell) => html`<td>${inline(cell.tokens, depth)}</td>`)}
        </tr>`,
      )}
    </tbody>
  </table>
</div>`;

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

/**
 * Whether an address leads to the web, to a mailbox or to a page of ours, also after a browser has read it in its own
 * way.
 * @param {string} href
 */
function isSafe(href) {
  if (!URL.canParse(href, HERE)) return false;
  return FOREIGN.test(href) || (OWN.test(href) && new URL(href, HERE).origin === HERE);
}

/** A text as it was written: marked has escaped it for markup, which this is not. @param {Token} token */
const plain = (token) => (tint ? tintedWords(token.raw.replace(ATTRIBUTES, "")) : token.raw);

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
