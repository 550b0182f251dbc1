// @ts-check
/** Grammars of the languages that are highlighted, by their names. */

import { lazyLibrary } from "./lazy_library.js";

/** @typedef {{ parser: any, language?: any }} Grammar */

/** @type {Record<string, () => Grammar | null>} */
const GRAMMARS = {
  cpp: lazyLibrary(() => import("../../vendor/code/cpp.mjs")),
  css: lazyLibrary(() => import("../../vendor/code/css.mjs")),
  html: lazyLibrary(() => import("../../vendor/code/html.mjs")),
  java: lazyLibrary(() => import("../../vendor/code/java.mjs")),
  javascript: lazyLibrary(() => import("../../vendor/code/javascript.mjs")),
  json: lazyLibrary(() => import("../../vendor/code/json.mjs")),
  python: lazyLibrary(() => import("../../vendor/code/python.mjs")),
  rust: lazyLibrary(() => import("../../vendor/code/rust.mjs")),
  shell: lazyLibrary(() => import("../../vendor/code/shell.mjs")),
  sql: lazyLibrary(() => import("../../vendor/code/sql.mjs")),
};
/** @type {Record<string, string>} */
const OTHER_NAMES = {
  "c++": "cpp",
  bash: "shell",
  c: "cpp",
  cc: "cpp",
  console: "shell",
  cxx: "cpp",
  h: "cpp",
  hpp: "cpp",
  htm: "html",
  js: "javascript",
  jsonc: "json",
  jsx: "javascript",
  mjs: "javascript",
  py: "python",
  python3: "python",
  rs: "rust",
  sh: "shell",
  sqlite: "sql",
  svg: "html",
  ts: "javascript",
  tsx: "javascript",
  typescript: "javascript",
  xml: "html",
  zsh: "shell",
};
const FENCE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#-]+)/gm;
const SPOKEN_OF = /\b(bash|css|html|javascript|java|python|rust|sql|typescript)\b/gi;

/** @param {string} name */
const known = (name) => OTHER_NAMES[name] ?? name;

/** Whether a language can be highlighted. @param {string} name */
const isGrammar = (name) => Object.hasOwn(GRAMMARS, known(name));

/**
 * The grammar of a language by any of its names; null if unknown or not loaded yet.
 * @param {string} name
 * @returns {Grammar | null}
 */
export const grammarOf = (name) => (isGrammar(name) ? GRAMMARS[known(name)]() : null);

/**
 * The language of the last code block, else the last one mentioned; empty if none.
 * @param {string[]} texts in Markdown, oldest first
 */
export function languageIn(texts) {
  const found = (/** @type {RegExp} */ pattern) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name.toLowerCase())).findLast(isGrammar);
  return found(FENCE) ?? found(SPOKEN_OF) ?? "";
}
