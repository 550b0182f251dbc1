import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { said, stringsIn } from "../sentences.mjs";

const STATIC = new URL("../../../../static/", import.meta.url);
const read = (path) => readFileSync(new URL(path, STATIC), "utf8");
const LANGUAGES = /data-languages="([^"]+)"/.exec(read("index.html"))[1].split(" ");
const FILES = readdirSync(new URL("i18n/", STATIC));
const PARTS = FILES.filter((name) => name.startsWith("en.")).map((name) => name.slice("en".length));
const MODULES = readdirSync(STATIC, { recursive: true }).filter(
  (name) => name.endsWith(".js") && !/^(vendor|i18n)\//.test(name),
);
/** Of the server's own sentences, which are English, there are catalogues of the other languages alone. */
const SERVERS = LANGUAGES.filter((tag) => tag !== "en").map((tag) => `${tag}.server.js`);
const CATALOGUES = new Map();
for (const name of LANGUAGES.flatMap((tag) => PARTS.map((part) => tag + part)))
  CATALOGUES.set(name, (await import(new URL(`i18n/${name}`, STATIC))).default);
const of = (tag, part) => CATALOGUES.get(tag + part);
const ENGLISH = Object.assign({}, ...PARTS.map((part) => of("en", part)));

const namesIn = (sentence) => [...new Set([...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

test("every language has every part, and no file is of a language that is not offered", () => {
  const readers = PARTS.map((part) => part.slice(1)).filter((part) => part !== "js");
  assert.deepEqual([...FILES].sort(), [...CATALOGUES.keys(), ...SERVERS, ...readers].sort());
});

test("no two parts share a key", () => {
  assert.equal(
    Object.keys(ENGLISH).length,
    PARTS.reduce((n, part) => n + Object.keys(of("en", part)).length, 0),
  );
});

for (const tag of LANGUAGES) {
  const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.length;
  for (const part of PARTS) {
    test(`${tag}${part}: the keys, placeholders and plural forms are those of English`, () => {
      assert.deepEqual(Object.keys(of(tag, part)), Object.keys(of("en", part)));
      for (const [key, sentence] of Object.entries(of(tag, part))) {
        const english = of("en", part)[key];
        assert.deepEqual(namesIn(sentence), namesIn(english), key);
        const forms = sentence.split("|");
        assert.equal(forms.length, english.includes("|") ? categories : 1, key);
        assert.ok(
          forms.every((form) => form.trim() && !/[{}]/.test(form.replace(/\{\w+\}/g, ""))),
          key,
        );
        if (forms.length > 1)
          assert.ok(
            forms.every(
              (form) =>
                namesIn(form)
                  .filter((name) => name !== "n")
                  .join() ===
                namesIn(forms[0])
                  .filter((name) => name !== "n")
                  .join(),
            ),
            key,
          );
      }
    });

    test(`${tag}${part}: sentences keep their calm, and quote as their language does`, () =>
      assertCalm(tag, of(tag, part)));
  }
}

function assertCalm(tag, catalogue) {
  for (const [key, sentence] of Object.entries(catalogue)) {
    assert.doesNotMatch(sentence, /!|"| {2}|\.\.\./, key);
    if (tag === "de") assert.doesNotMatch(sentence, /“[^„]*”|\b(Ihre?n?|Ihnen)\b/, key);
  }
}

for (const name of SERVERS) {
  test(`${name}: sentences of the server keep their calm too, and are in order`, async () => {
    const { default: catalogue } = await import(new URL(`i18n/${name}`, STATIC));
    assertCalm(name.split(".")[0], catalogue);
    assert.deepEqual(Object.keys(catalogue), Object.keys(catalogue).toSorted());
  });
}

test("every key is used", () => {
  const code = MODULES.map(read).join("\n");
  const literal = new Set([...code.matchAll(/"([\w.]+)"/g)].map(([, key]) => key));
  const made = [...code.matchAll(/`([\w.]*\.(?:\$\{[^}`]+\}[\w.]*)+)`/g)].map(
    ([, pattern]) => new RegExp(`^${pattern.replace(/\$\{[^}]+\}/g, "\\w+").replaceAll(".", "\\.")}$`),
  );
  assert.deepEqual(
    Object.keys(ENGLISH).filter((key) => !literal.has(key) && !made.some((pattern) => pattern.test(key))),
    [],
  );
});

test("every key that is asked for is there", () => {
  const asked = MODULES.flatMap((path) =>
    [...read(path).matchAll(/\b(?:t|common|pieces)\("([\w.]+)"/g)].map(([, key]) => `${path} ${key}`),
  );
  assert.deepEqual(
    asked.filter((each) => !(each.split(" ")[1] in ENGLISH)),
    [],
  );
});

test("no module has a sentence of its own", () => {
  const found = MODULES.flatMap((path) => said(read(path)).map((words) => `${path}: ${words}`));
  assert.deepEqual(found, []);
});

test("what is looked for in modules would be found", () => {
  assert.deepEqual(
    said(
      'const a = html`<p title="Say it" class="one two">${t("a.b")} Loose words <b>${n ? html`<i>inner</i>` : ""}</b></p>`; // Not this',
    ),
    ["inner", "Say it", "Loose words"],
  );
  assert.deepEqual(said('throw new ApiError(0, "The line is broken");'), ["The line is broken"]);
  assert.deepEqual(
    stringsIn("/* it's */ const x = 'a'; const y = `b${'c'}`;").map(({ text }) => text),
    ["a", "c", "b\0"],
  );
});
