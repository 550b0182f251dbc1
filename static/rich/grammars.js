// @ts-check
/** The languages whose code is coloured: what they are called, and where their grammar is. */

import { needed } from "./needed.js";

/** @typedef {{ parser: any, language?: any }} Grammar */

/** @type {Record<string, () => Grammar | null>} */
const GRAMMARS = {
  cpp: needed(() => import("../vendor/code/cpp.mjs")),
  css: needed(() => import("../vendor/code/css.mjs")),
  html: needed(() => import("../vendor/code/html.mjs")),
  java: needed(() => import("../vendor/code/java.mjs")),
  javascript: needed(() => import("../vendor/code/javascript.mjs")),
  json: needed(() => import("../vendor/code/json.mjs")),
  python: needed(() => import("../vendor/code/python.mjs")),
  rust: needed(() => import("../vendor/code/rust.mjs")),
  shell: needed(() => import("../vendor/code/shell.mjs")),
  sql: needed(() => import("../vendor/code/sql.mjs")),
};
/** @type {Record<string, string>} */
const OTHER_NAMES = {
  "c++": "cpp", bash: "shell", c: "cpp", cc: "cpp", console: "shell", cxx: "cpp", h: "cpp", hpp: "cpp", htm: "html", js: "javascript", jsonc: "json", jsx: "javascript",
  mjs: "javascript", py: "python", python3: "python", rs: "rust", sh: "shell", sqlite: "sql", svg: "html", ts: "javascript", tsx: "javascript", typescript: "javascript", xml: "html", zsh: "shell",
};
const FENCE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#-]+)/gm;
const SPOKEN_OF = /\b(bash|css|html|javascript|java|python|rust|sql|typescript)\b/gi;

/** @param {string} name */
const known = (name) => OTHER_NAMES[name] ?? name;

/** Whether code of that name can be coloured. @param {string} name */
const isGrammar = (name) => Object.hasOwn(GRAMMARS, known(name));

/** The grammar of a language by any of its names; null where there is none, or until it is there. @param {string} name @returns {Grammar | null} */
export const grammarOf = (name) => (isGrammar(name) ? GRAMMARS[known(name)]() : null);

/** The language of the code that was shown last, or else the one that was last spoken of; empty where none was. @param {string[]} texts in Markdown, oldest first */
export function languageIn(texts) {
  const found = (/** @type {RegExp} */ pattern) => texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name.toLowerCase())).findLast(isGrammar);
  return found(FENCE) ?? found(SPOKEN_OF) ?? "";
}
