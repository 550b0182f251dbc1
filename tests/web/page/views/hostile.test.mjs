// The whole corpus of hostile texts as Markdown: no element but ours, no address but safe ones, and nothing lost.
import "../vendored.mjs";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const { Markdown } = await import("../../../../static/views/rich/markdown.js");
const families = JSON.parse(
  readFileSync(new URL("../../../../harness/hostile/payloads.json", import.meta.url), "utf8"),
);
const payloads = Object.values(families)
  .flat()
  .map((payload) => payload.replaceAll("RUN", "ran.push(1)").replaceAll("EVIL", "http://evil.example"));

/** What an element may be, and what it may be given; the components take texts and make text nodes of them. */
const ALLOWED = {
  p: [],
  strong: [],
  em: [],
  del: [],
  code: [],
  br: [],
  hr: [],
  blockquote: [],
  ul: [],
  ol: ["start", "class", "aria-label"],
  li: ["data-note", "tabindex"],
  dl: [],
  dt: [],
  dd: [],
  sup: [],
  span: ["class", "aria-hidden"],
  table: [],
  thead: [],
  tbody: [],
  tr: [],
  th: [],
  td: [],
  div: ["class"],
  a: ["href", "rel", "target"],
  CodeBlock: ["text", "lang"],
  Diagram: ["source"],
  Formula: ["raw", "tex", "display"],
  NoteReference: ["label"],
  BackLink: ["label"],
};
const SAFE = /^(https?:\/\/|mailto:|#|\/(?!\/))/i;
const WRAPPED = [
  (text) => text,
  (text) => `Before ${text} after`,
  (text) => `- ${text}`,
  (text) => `> ${text}`,
  (text) => `**${text}**`,
  (text) => `[${text}](https://ok.example)`,
  (text) => `| ${text} |\n|---|\n| ${text} |`,
  (text) => `$${text}$`,
  (text) => `\`${text}`,
  (text) => `${text}\n\n${text}`,
  (text) => `${text}\n: ${text}\n\n  ${text}`,
  (text) => `Said[^a].\n\n[^a]: ${text}\n    ${text}`,
];

/** @param {any} node */
function walk(node) {
  if (Array.isArray(node)) return node.forEach(walk);
  if (node === null || node === undefined || typeof node !== "object") return;
  const name = typeof node.type === "function" ? node.type.name : node.type;
  const { children, ...props } = node.props;
  assert.ok(Object.hasOwn(ALLOWED, name), `an element ${name}`);
  for (const [key, value] of Object.entries(props)) {
    assert.ok(ALLOWED[name].includes(key), `${name} has ${key}`);
    assert.ok(
      value === null || ["string", "number", "boolean"].includes(typeof value),
      `${name} has ${key} of another kind`,
    );
  }
  assert.equal(node.ref ?? null, null);
  if (name === "div") assert.ok([undefined, "table", "with-notes"].includes(props.class));
  if (name === "a") {
    assert.match(props.href, SAFE);
    const protocol = new URL(props.href, "http://sprout.example").protocol;
    assert.ok(["http:", "https:", "mailto:"].includes(protocol), props.href);
    assert.ok(
      protocol === "mailto:" ||
        /^https?:/i.test(props.href) ||
        new URL(props.href, "http://sprout.example").host === "sprout.example",
      props.href,
    );
  }
  if (name === "CodeBlock") assert.match(props.lang, /^[\w+#-]*$/);
  walk(children);
}

test("the corpus is as large as it says", () => {
  assert.ok(payloads.length >= 300, `${payloads.length}`);
  assert.equal(new Set(payloads).size, payloads.length);
});

test("X1 no hostile text becomes an element or an address that is not ours, however it is wrapped", () => {
  for (const payload of payloads) for (const wrap of WRAPPED) walk(Markdown({ text: wrap(payload) }));
});

test("X4 nor does any beginning of one, as it stands while it is being written", () => {
  for (const payload of payloads)
    for (let end = 1; end < payload.length; end++) walk(Markdown({ text: payload.slice(0, end) }));
});
