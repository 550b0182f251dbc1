// Rules of the page that neither prettier nor tsc knows: rooms, templates, pinned tools. Prints `path:line: what`.

import { parse } from "acorn";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LONGEST_LINE = 120;
/** Which rooms a module may import from: its own, and those that stand to the right of it here. */
const ROOMS = ["views", "state", "net", "layout", "lib"];
/** Read by the page and written as data, or by others. */
const OTHERS = /^(?:vendor|i18n|fonts)\//;

/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node */

/** The room of a module's path below static/; the empty text for the entry, which may import all. */
const roomOf = (/** @type {string} */ path) => (path.includes("/") ? path.split("/")[0] : "");

/**
 * Every node of a syntax tree below this one, this one first.
 * @param {any} node
 * @returns {Generator<Node>}
 */
function* nodesBelow(node) {
  if (Array.isArray(node)) for (const each of node) yield* nodesBelow(each);
  else if (node && typeof node.type === "string") {
    yield node;
    for (const key of Object.keys(node)) yield* nodesBelow(node[key]);
  }
}

const isTemplate = (/** @type {Node} */ node) =>
  node.type === "TaggedTemplateExpression" && node.tag.type === "Identifier" && node.tag.name === "html";

/**
 * The conditions that stand in a branch or in the test of another one, without a function or a template between them.
 * @param {Node} template
 */
function nestedConditions(template) {
  const conditions = [...nodesBelow(template)].filter(({ type }) => type === "ConditionalExpression");
  return conditions.flatMap(({ test, consequent, alternate }) =>
    [test, consequent, alternate].filter(({ type }) => type === "ConditionalExpression"),
  );
}

/**
 * What is wrong with a module, as [offset, sentence].
 * @param {string} path below static/
 * @param {string} code
 * @returns {[number, string][]}
 */
export function faultsOf(path, code) {
  /** @type {[number, string][]} */
  const found = [];
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  if (!code.startsWith("// @ts-check\n")) found.push([0, "begins with // @ts-check, so that its types are checked"]);
  const room = ROOMS.indexOf(roomOf(path));
  for (const node of nodesBelow(tree)) {
    const target = /Import|Export/.test(node.type) && node.source?.value;
    if (typeof target === "string" && target.startsWith(".") && room >= 0) {
      const imported = roomOf(posix.join(posix.dirname(path), target));
      if (imported === "" || (ROOMS.includes(imported) && ROOMS.indexOf(imported) < room))
        found.push([node.start, `${ROOMS[room]}/ does not import ${imported || "the entry"}`]);
    }
    if (!isTemplate(node)) continue;
    for (const nested of nestedConditions(node))
      found.push([nested.start, "a condition within a condition: give the choice a name in a small function"]);
    let at = code.lastIndexOf("\n", node.start) + 1;
    for (const line of code.slice(at, node.end).split("\n")) {
      if (line.length > LONGEST_LINE) found.push([at, `a template's line has ${line.length} characters`]);
      at += line.length + 1;
    }
  }
  return found;
}

/**
 * The faults of all modules, each said once at its place.
 * @param {string} folder
 */
export function faultsBelow(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const modules = paths.filter((path) => path.endsWith(".js") && !OTHERS.test(path)).sort();
  return modules.flatMap((path) => {
    const code = readFileSync(join(folder, path), "utf8");
    const lines = faultsOf(path, code).map(([at, what]) => `${path}:${code.slice(0, at).split("\n").length}: ${what}`);
    return [...new Set(lines)];
  });
}

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

/** The tools are pinned by version and hash, name no registry, and type the libraries that the page ships. */
function toolFaults() {
  const { devDependencies } = readJson("package.json");
  const vendored = new Map(
    readJson("static/vendor/vendor.json").map((/** @type {any} */ each) => [each.name, each.version]),
  );
  /** @type {[string, any][]} */
  const locked = Object.entries(readJson("package-lock.json").packages).filter(([path]) => path);
  return [
    ...Object.entries(devDependencies)
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
      .map(([name]) => `package.json: ${name} is not pinned to one version`),
    ...Object.entries(devDependencies)
      .filter(([name, version]) => vendored.has(name) && vendored.get(name) !== version)
      .map(([name]) => `package.json: ${name} is not the version that static/vendor has`),
    ...locked.filter(([, { resolved }]) => resolved).map(([path]) => `package-lock.json: ${path} names a registry`),
    ...locked.filter(([, { integrity }]) => !integrity).map(([path]) => `package-lock.json: ${path} has no hash`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = [...faultsBelow(join(ROOT, "static")).map((fault) => `static/${fault}`), ...toolFaults()];
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length ? 1 : 0;
}
