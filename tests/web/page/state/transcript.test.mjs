// What is read out of a conversation's messages, and how words travel.
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerMessage,
  sideQuestionMessage,
  splitQuestion,
  firstClosedHint,
  isHelpSaid,
  turnsBeside,
  turnsOf,
  markSpans,
  withoutTags,
} from "../../../../static/state/transcript.js";

const said = (role, content, kind = "learning") => ({
  id: content,
  role,
  kind,
  content,
  createdAt: "2026-11-21T10:00:00.000Z",
  citations: [],
  attempt: null,
});

test("a tutor's message is parted into its words and its question", () => {
  assert.deepEqual(splitQuestion("One idea.\n\nQuestion Type: code\n\nQuestion:\nWrite it.\n\n```\nx\n```"), {
    text: "One idea.",
    question: "Write it.\n\n```\nx\n```",
  });
});

test("words without a question are only words", () => {
  assert.deepEqual(splitQuestion("Well done.\n\nThat was all."), {
    text: "Well done.\n\nThat was all.",
    question: null,
  });
});

test("a learner's words lose the tags that they travel with, and nothing else", () => {
  assert.deepEqual(withoutTags(answerMessage("draw", "a tree\nMode: text")), {
    text: "a tree\nMode: text",
    drawn: false,
    mode: "draw",
  });
  assert.deepEqual(withoutTags(answerMessage("mcq", "The second")), { text: "The second", drawn: false, mode: "text" });
  assert.deepEqual(withoutTags(sideQuestionMessage("why?")), { text: "why?", drawn: false, mode: null });
  assert.deepEqual(withoutTags("plain"), { text: "plain", drawn: false, mode: null });
});

test("A4: the same wrong answer once more, which is no attempt of its own, has the verdict of the first", () => {
  const miss = { questionId: "q", correct: false };
  const answered = (text, attempt) => ({ ...said("user", answerMessage("text", text)), attempt });
  const turns = turnsOf([
    answered("6", miss),
    said("assistant", "Not yet."),
    answered("6", null),
    answered("7", null),
    answered("42", { questionId: "q", correct: true }),
    answered("42", null),
  ]);
  assert.deepEqual(
    turns.map(({ attempt, isRepeat, number }) => [attempt?.correct ?? null, isRepeat, number]),
    [
      [false, false, 1],
      [null, false, 0],
      [false, true, 0],
      [null, false, 0],
      [true, false, 2],
      [null, false, 0],
    ],
  );
});

test("a picture is told apart from the words that it came with", () => {
  assert.deepEqual(withoutTags(`${answerMessage("draw", "a tree")}\n[Drawing image attached]`), {
    text: "a tree",
    drawn: true,
    mode: "draw",
  });
  assert.deepEqual(withoutTags(`${answerMessage("draw", "")}[Drawing image attached]`), {
    text: "",
    drawn: true,
    mode: "draw",
  });
});

test("a side question and its reply stand aside, what follows does not", () => {
  const turns = turnsOf([
    said("assistant", "Chunk.\n\nQuestion Type: text\n\nQuestion:\nWhy?"),
    said("user", sideQuestionMessage("what is x"), "hint_request"),
    said("assistant", "x is y.", "hint_response"),
    said("user", answerMessage("text", "because"), "evaluation"),
    said("assistant", "Right.\n\nQuestion Type: text\n\nQuestion:\nNext?"),
    said("system", "hidden"),
  ]);
  assert.deepEqual(
    turns.map(({ who, aside, text, question }) => [who, aside, text, question]),
    [
      ["tutor", false, "Chunk.", "Why?"],
      ["learner", true, "what is x", null],
      ["tutor", true, "x is y.", null],
      ["learner", false, "because", null],
      ["tutor", false, "Right.", "Next?"],
    ],
  );
});

test("attempts at each question are numbered", () => {
  const attempt = (questionId) => ({
    ...said("user", answerMessage("text", questionId), "evaluation"),
    attempt: { questionId, helpLevel: 0, correct: null, criteria: [] },
  });
  const turns = turnsOf([
    attempt("a"),
    attempt("a"),
    said("user", sideQuestionMessage("why?"), "hint_request"),
    attempt("b"),
    attempt("b"),
  ]);
  assert.deepEqual(
    turns.map(({ number }) => number),
    [1, 2, 0, 1, 2],
  );
});

test("help that the open checkpoint shows stands only there, with what asked for it, and comes back when it closes", () => {
  const asks = "\n\nQuestion Type: text\n\nQuestion:\nHow many?";
  const turns = turnsOf([
    said("assistant", `Chunk.${asks}`),
    said("user", "A hint, please."),
    said("assistant", `Count the hundreds.${asks}`),
    said("user", answerMessage("text", "6"), "evaluation"),
    said("assistant", `That does not hold yet. Take one hundred.${asks}`),
    said("user", answerMessage("text", "I don't know")),
    said("assistant", `Half of it is done.${asks}`),
  ]);
  const shown = (open) => turnsBeside(turns, open).map(({ text }) => text);
  assert.deepEqual(shown(null), [
    "Chunk.",
    "A hint, please.",
    "Count the hundreds.",
    "6",
    "That does not hold yet. Take one hundred.",
    "I don't know",
    "Half of it is done.",
  ]);
  const help = ["Count the hundreds.", "Take one hundred.", "Half of it is done."];
  assert.deepEqual(shown({ prompt: "How many?", help }), ["Chunk.", "6", "That does not hold yet.", "I don't know"]);
  assert.deepEqual(shown({ prompt: "Another one?", help: [] }), shown(null));
});

test("a help text is said once a tutor's turn has it, and not by what a learner writes", () => {
  const turns = turnsOf(
    [said("user", "Count the hundreds."), said("assistant", "Not yet. 6 is for one hundred. Take one hundred.")],
    [],
  );
  assert.equal(isHelpSaid(turns, "Take one hundred.\n"), true);
  assert.equal(isHelpSaid(turns, "Count the hundreds."), false);
  const help = ["Take one hundred.", "Count the hundreds.", "Seven of them."];
  assert.equal(firstClosedHint(turns, help, []), 1, "the next hint is the one that waits closed");
  assert.equal(firstClosedHint(turns, help, [1]), 2);
  assert.equal(firstClosedHint(turns, help, [1, 2]), -1, "then another one is asked for");
});

test("what a grade points out is underlined where it stands first, overlaps once, and every character stays", () => {
  const words = "The 8 means 8 out of a hundred, so 2 pupils.";
  const shown = (spans) =>
    markSpans(words, spans)
      .map(({ text, marked }) => (marked ? `[${text}]` : text))
      .join("");
  assert.equal(shown(["8 out of a hundred", "2 pupils."]), "The 8 means [8 out of a hundred], so [2 pupils.]");
  assert.equal(
    shown(["2 pupils", "so 2 pupils", "means 8 out", "8 out of a"]),
    "The 8 [means 8 out][ of a] hundred, [so 2 pupils].",
  );
  assert.equal(shown(["", "not there"]), words);
  assert.deepEqual(markSpans("", ["x"]), []);
});
