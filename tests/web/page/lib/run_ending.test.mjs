import assert from "node:assert/strict";
import { test } from "node:test";
import { earlyEnding, nextWords } from "../../../../static/lib/run_ending.js";
import { emptyActivity, reduce, runAfter } from "../../../../static/state/event_reducer.js";
import { handoffWords } from "../../../../static/state/handoff.js";
import { numbered, USAGE } from "../builders.mjs";

const limit = (unit, amount) => ({ unit, amount });
const aRow = (reason, reachedLimit, state = "completed") => ({ state, reason, reachedLimit });

test("M3: a run that ended before its work was done says at which limit, any other says nothing", () => {
  const words = [
    [aRow("max_iterations", limit("iterations", 15)), "Stopped at its limit of 15 steps"],
    [aRow("max_iterations", limit("iterations", 1)), "Stopped at its limit of 1 step"],
    [aRow("budget", limit("tokens", 4000)), "Stopped at its budget of 4,000 tokens"],
    [aRow("budget", limit("usd", 0.5)), "Stopped at its budget of $0.50"],
    [aRow("soft_limit", limit("seconds", 900)), "Stopped at its time limit of 15 minutes"],
    [aRow("soft_limit", limit("seconds", 30)), "Stopped at its time limit of 30.0 s"],
    [aRow("refusal", null), "The model declined to answer"],
    [aRow("stuck", null), "Stopped because it was going in circles"],
    [aRow("end_turn", null), null],
    [aRow("cancelled", null, "cancelled"), null],
    [aRow(null, null, "running"), null],
  ];
  for (const [row, said] of words) assert.equal(earlyEnding(row), said);
});

test("M3: what to do depends on the cause, and on whether something was saved", () => {
  const tokens = limit("tokens", 300);
  assert.match(nextWords(aRow("budget", tokens)), /^Everything saved so far is kept\..* raise the limit/);
  assert.match(nextWords(aRow("budget", tokens, "failed")), /^Nothing had been saved yet\. Raise the limit/);
  assert.match(nextWords(aRow("refusal", null)), /put the topic in other words/);
  assert.equal(nextWords(aRow("end_turn", null)), null);
});

test("M3: a run that reached a limit before it saved anything is explained in the page's own words", () => {
  const error = { code: "budget", message: "The run spent its budget.", retryable: true };
  const words = handoffWords("failed", { ...aRow("budget", limit("tokens", 300), "failed"), error });
  assert.equal(words.title, "Stopped at its budget of 300 tokens");
  assert.match(words.why, /^Nothing had been saved yet\./);
  const other = { code: "overloaded", message: "Overloaded.", retryable: true };
  assert.equal(handoffWords("failed", { ...aRow("overloaded", null, "failed"), error: other }).title, "Overloaded.");
});

test("M3: the limit reaches the row of a run with its last event", () => {
  const reachedLimit = limit("iterations", 2);
  const run = { id: "R", endedAt: null, lastEventId: 0, error: null, reason: null, reachedLimit: null };
  const events = numbered([
    { kind: "run_started", runId: "R", agent: "topic", lane: "topic", model: "m", caps: {}, offline: false },
    { kind: "agent_done", runId: "R", agent: "topic", reason: "max_iterations", usage: USAGE, reachedLimit },
    { kind: "run_done", runId: "R", status: "completed", reason: "max_iterations", usage: USAGE, reachedLimit },
  ]);
  const activity = events.reduce(reduce, emptyActivity("R"));
  assert.deepEqual(activity.agents.R.reachedLimit, reachedLimit);
  assert.deepEqual(runAfter(run, activity).reachedLimit, reachedLimit);
});
