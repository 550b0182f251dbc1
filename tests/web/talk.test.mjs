// What is read out of a conversation's messages, and how words travel.
import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, asideOf, parted, turnsOf, underlined, untagged } from "../../static/talk.js";

const said = (role, content, kind = "learning") => ({ id: content, role, kind, content, createdAt: "2026-11-21T10:00:00.000Z", citations: [], attempt: null });

test("a tutor's message is parted into its words and its question", () => {
  assert.deepEqual(parted("One idea.\n\nQuestion Type: code\n\nQuestion:\nWrite it.\n\n```\nx\n```"), { text: "One idea.", question: "Write it.\n\n```\nx\n```" });
});

test("words without a question are only words", () => {
  assert.deepEqual(parted("Well done.\n\nThat was all."), { text: "Well done.\n\nThat was all.", question: null });
});

test("a learner's words lose the tags that they travel with, and nothing else", () => {
  assert.deepEqual(untagged(answerOf("draw", "a tree\nMode: text")), { text: "a tree\nMode: text", drawn: false, mode: "draw" });
  assert.deepEqual(untagged(answerOf("mcq", "The second")), { text: "The second", drawn: false, mode: "text" });
  assert.deepEqual(untagged(asideOf("why?")), { text: "why?", drawn: false, mode: null });
  assert.deepEqual(untagged("plain"), { text: "plain", drawn: false, mode: null });
});

test("a picture is told apart from the words that it came with", () => {
  assert.deepEqual(untagged(`${answerOf("draw", "a tree")}\n[Drawing image attached]`), { text: "a tree", drawn: true, mode: "draw" });
  assert.deepEqual(untagged(`${answerOf("draw", "")}[Drawing image attached]`), { text: "", drawn: true, mode: "draw" });
});

test("a side question and its reply stand aside, what follows does not", () => {
  const turns = turnsOf([
    said("assistant", "Chunk.\n\nQuestion Type: text\n\nQuestion:\nWhy?"),
    said("user", asideOf("what is x"), "hint_request"),
    said("assistant", "x is y.", "hint_response"),
    said("user", answerOf("text", "because"), "evaluation"),
    said("assistant", "Right.\n\nQuestion Type: text\n\nQuestion:\nNext?"),
    said("system", "hidden"),
  ]);
  assert.deepEqual(turns.map(({ who, aside, text, question }) => [who, aside, text, question]), [
    ["tutor", false, "Chunk.", "Why?"], ["learner", true, "what is x", null], ["tutor", true, "x is y.", null],
    ["learner", false, "because", null], ["tutor", false, "Right.", "Next?"],
  ]);
});

test("the first attempt at each question is told from those after it", () => {
  const attempt = (questionId) => ({ ...said("user", answerOf("text", questionId), "evaluation"), attempt: { questionId, helpLevel: 0, correct: null, criteria: [] } });
  const turns = turnsOf([attempt("a"), attempt("a"), said("user", asideOf("why?"), "hint_request"), attempt("b"), attempt("b")]);
  assert.deepEqual(turns.map(({ first }) => first), [true, false, false, true, false]);
});

test("what a grade points out is underlined where it stands first, overlaps once, and every character stays", () => {
  const words = "The 8 means 8 out of a hundred, so 2 pupils.";
  const shown = (spans) => underlined(words, spans).map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");
  assert.equal(shown(["8 out of a hundred", "2 pupils."]), "The 8 means [8 out of a hundred], so [2 pupils.]");
  assert.equal(shown(["2 pupils", "so 2 pupils", "means 8 out", "8 out of a"]), "The 8 [means 8 out][ of a] hundred, [so 2 pupils].");
  assert.equal(shown(["", "not there"]), words);
  assert.deepEqual(underlined("", ["x"]), []);
});
