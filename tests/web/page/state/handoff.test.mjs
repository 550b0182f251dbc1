import assert from "node:assert/strict";
import { test } from "node:test";
import {
  buttonsOf,
  costWords,
  handoffKind,
  lastSteps,
  runDuration,
  sinceWords,
  takesResult,
  takesWords,
  handoffWords,
} from "../../../../static/state/handoff.js";
import { queuePositionWords } from "../../../../static/lib/node_status.js";
import { USAGE } from "../builders.mjs";

const aRun = (more = {}) => ({
  id: "R",
  state: "running",
  question: null,
  offers: [],
  cutOff: false,
  discarded: false,
  error: null,
  offline: false,
  usage: { ...USAGE, inputTokens: 40_000, outputTokens: 900, costUsd: 0.36 },
  startedAt: "2026-01-01T12:00:00.000Z",
  endedAt: null,
  lastEvents: [],
  ...more,
});
const aQuestion = (kind) => ({
  kind,
  question: "Which?",
  choices: null,
  why: "They differ.",
  tool: null,
  input: null,
  since: "2026-01-01T12:02:00.000Z",
});

test("F1: a run needs a person when it waits, failed, ran out of time or was cut off, and not otherwise", () => {
  assert.equal(handoffKind(aRun()), null);
  assert.equal(handoffKind(aRun({ state: "completed" })), null);
  assert.equal(handoffKind(aRun({ state: "cancelled" })), null);
  assert.equal(handoffKind(aRun({ state: "failed" })), "failed");
  assert.equal(handoffKind(aRun({ state: "timed_out" })), "timed_out");
  assert.equal(handoffKind(aRun({ cutOff: true })), "cut_off");
  assert.equal(handoffKind(aRun({ state: "waiting_on_human", question: aQuestion("in_doubt") })), "in_doubt");
  assert.equal(handoffKind(aRun({ state: "waiting_on_human" })), "question", "asked just now: its row is on the way");
  assert.equal(handoffKind(aRun({ state: "failed", discarded: true })), null);
});

test("W1: words of one's own answer a question alone; a result goes with the choice that it happened alone", () => {
  const kinds = ["question", "context", "permission", "in_doubt", "changed"];
  assert.deepEqual(kinds.filter(takesWords), ["question", "context"]);
  assert.deepEqual(
    [0, 1, 2].map((place) => takesResult("in_doubt", place)),
    [true, false, false],
  );
  assert.equal(takesResult("question", 0), false);
});

test("F1: the buttons are exactly what is offered, an answer being given elsewhere", () => {
  assert.deepEqual(buttonsOf(aRun({ offers: ["cancel", "answer", "discard"] })), ["discard", "cancel"]);
  assert.deepEqual(buttonsOf(aRun({ offers: ["discard", "retry", "resume"] })), ["resume", "retry", "discard"]);
  assert.deepEqual(buttonsOf(aRun()), []);
});

test("the headline is the question, the failure's sentence, or what happened", () => {
  assert.equal(handoffWords("question", aRun({ question: aQuestion("question") })).title, "Which?");
  assert.equal(
    handoffWords("failed", aRun({ error: { code: "bad_key", message: "Claude refused this key.", retryable: false } }))
      .title,
    "Claude refused this key.",
  );
  assert.equal(handoffWords("failed", aRun()).title, "This run failed");
  assert.match(handoffWords("cut_off", aRun()).why, /Everything saved so far is kept/);
});

test("a time of today is its hour, an earlier one has its day", () => {
  const now = new Date(2026, 10, 20, 12).getTime();
  const at = (day, hour) => new Date(2026, 10, day, hour, 4).toISOString();
  assert.equal(sinceWords(at(20, 9), now), "09:04");
  assert.equal(sinceWords(at(19, 9), now), "yesterday, 09:04");
  assert.equal(sinceWords(at(17, 0), now), "Tuesday, 00:04");
});

test("the wait for a person is no work: it is not in the run's length", () => {
  const later = Date.parse("2026-01-02T12:00:00.000Z");
  assert.equal(runDuration(aRun({ question: aQuestion("question") }), later), "2:00");
  assert.equal(runDuration(aRun({ endedAt: "2026-01-01T12:05:00.000Z" }), later), "5:00");
  assert.equal(runDuration(aRun({ startedAt: null }), later), "");
});

test("tokens and cost are said in numbers, and a free run as free", () => {
  assert.equal(costWords(aRun()), "40,900 tokens, $0.36");
  assert.equal(costWords(aRun({ offline: true })), "40,900 tokens, Free");
});

test("the last events read as lines, those of children too, with a call whose beginning is out of sight left out", () => {
  const call = (seq, callId, runId) => ({
    seq,
    kind: "tool_call",
    data: { runId, callId, tool: "save_concept", input: { title: callId } },
  });
  const result = (seq, callId, runId) => ({
    seq,
    kind: "tool_result",
    data: { runId, callId, tool: "save_concept", summary: "saved", ok: true, durationMs: 1, attempts: 1 },
  });
  const lines = lastSteps(
    aRun({
      lastEvents: [
        result(80, "old", "R"),
        call(81, "c1", "C"),
        result(82, "c1", "C"),
        { seq: 83, kind: "run_done", data: { status: "failed" } },
      ],
    }),
  );
  assert.deepEqual(
    lines.map((line) => [line.kind, line.entry.callId]),
    [["tool", "c1"]],
  );
});

test("a queued run says how many are before it", () => {
  assert.deepEqual([0, 1, 3].map(queuePositionWords), ["Next in line", "1 run ahead", "3 runs ahead"]);
});
