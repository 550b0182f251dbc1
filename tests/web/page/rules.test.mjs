import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";

// The rules read modules with acorn, one of the tools that npm installs; the page's other tests do without them.
const skip = !existsSync(new URL("../../../node_modules/acorn/", import.meta.url)) && "acorn is not installed";
const { faultsOf } = skip ? {} : await import("../../../scripts/check_page.mjs");
const said = (path, code) => faultsOf(path, `// @ts-check\n${code}`).map(([, what]) => what);

test("a module begins with the word that has its types checked", { skip }, () => {
  assert.equal(faultsOf("lib/a.js", "export const a = 1;\n").length, 1);
  assert.deepEqual(said("lib/a.js", "export const a = 1;\n"), []);
});

test("rooms import from those behind them, and never from those before", { skip }, () => {
  assert.deepEqual(said("views/map/a.js", 'import { b } from "../../state/b.js";'), []);
  assert.deepEqual(said("net/a.js", 'import { b } from "../state/b.js";'), ["net/ does not import state"]);
  assert.deepEqual(said("lib/a.js", 'export const c = () => import("../views/c.js");'), ["lib/ does not import views"]);
  assert.deepEqual(said("app.js", 'import { b } from "./views/b.js";'), []);
});

test("a template has short lines, and no condition within a condition", { skip }, () => {
  const long = "x".repeat(100);
  assert.equal(said("views/a.js", `const a = html\`\n<p class="${long}">${long}</p>\``).length, 1);
  assert.equal(said("views/a.js", `const a = "${long}${long}";`).length, 0);
  assert.equal(said("views/a.js", "const a = html`<p>${b ? c : d ? e : f}</p>`;").length, 1);
  assert.equal(said("views/a.js", "const a = html`<p>${b ? html`<i>${d ? e : f}</i>` : c}</p>`;").length, 0);
  assert.equal(said("views/a.js", "const a = b ? c : d ? e : f;").length, 0);
});
