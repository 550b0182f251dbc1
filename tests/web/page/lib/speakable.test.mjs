import assert from "node:assert/strict";
import { test } from "node:test";
import { languageOf, sentencesIn } from "../../../../static/lib/speakable.js";

const said = (text, language = "en") => sentencesIn(text, language).map(({ from, to }) => text.slice(from, to));

test("a text is read in the language that it is in, and in the page's where it shows none", () => {
  assert.equal(languageOf("The share of those who are ill is what the question asks for.", "de"), "en");
  assert.equal(languageOf("Der Anteil der Kranken ist das, wonach die Frage fragt.", "en"), "de");
  assert.equal(languageOf("Les parts des malades sont dans une table.", "en"), "fr");
  assert.equal(languageOf("42", "de"), "de");
  assert.equal(languageOf("", "en"), "en");
});

test("a text is read by sentence, without the space around them and what has no words", () => {
  assert.deepEqual(said("One is said.  Then another!\nAnd 3.5 stays whole? Yes"), [
    "One is said.",
    "Then another!",
    "And 3.5 stays whole?",
    "Yes",
  ]);
  assert.deepEqual(said("– . –"), []);
  assert.deepEqual(said(""), []);
});
