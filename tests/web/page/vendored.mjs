// The page's import map, for Node: what the page calls by a name is the same file here.
import { register } from "node:module";

const NAMES = {
  preact: "preact",
  "preact/hooks": "preact-hooks",
  htm: "htm",
  "@preact/signals-core": "signals-core",
  "@preact/signals": "signals",
  marked: "marked",
};
const files = Object.entries(NAMES).map(([name, file]) => [
  name,
  new URL(`../../../static/vendor/${file}.mjs`, import.meta.url).href,
]);
const hooks = `const files = new Map(${JSON.stringify(files)}); export const resolve = (name, context, next) => next(files.get(name) ?? name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
