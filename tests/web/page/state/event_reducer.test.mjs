import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyActivity, reduce, runAfter, tokensOf } from "../../../../static/state/event_reducer.js";
import { aNode, aRun, numbered, USAGE } from "../builders.mjs";

const after = (events, state = emptyActivity("R")) => events.reduce(reduce, state);
const durable = (events) => events.filter((event) => event.seq !== null);

test("the same events give the same state", () => {
  assert.deepEqual(after(aRun()), after(aRun()));
});

test("reducing changes no earlier state", () => {
  const freeze = (value) => {
    if (value && typeof value === "object" && !Object.isFrozen(value)) {
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    }
    return value;
  };
  let state = freeze(emptyActivity("R"));
  for (const event of aRun()) state = freeze(reduce(state, freeze(event)));
  assert.equal(state.status, "completed");
});

test("events that come twice change nothing", () => {
  const events = aRun();
  const twice = events.flatMap((event) => (event.seq === null ? [event] : [event, event]));
  assert.deepEqual(after([...twice, ...durable(events)]), after(events));
});

test("a page that reconnects at any moment ends as one that never left", () => {
  const events = aRun();
  const whole = after(events);
  for (let cut = 0; cut <= events.length; cut++) {
    const before = after(events.slice(0, cut));
    const missed = durable(events).filter((event) => event.seq > before.lastSeq);
    assert.deepEqual(after(missed, before), whole, `cut after ${cut}`);
  }
});

test("a snapshot in mid-block replaces what was there, and later deltas go on from it", () => {
  const block = { runId: "R", agent: "topic", blockId: "b" };
  const state = after([
    { kind: "agent_reasoning_delta", seq: null, ...block, text: "Half a" },
    { kind: "block_snapshot", seq: null, of: "agent_reasoning_delta", ...block, text: "Half a sentence" },
    { kind: "agent_reasoning_delta", seq: null, ...block, text: " more" },
  ]);
  assert.deepEqual(state.agents.R.entries, [
    { type: "text", of: "reasoning", blockId: "b", text: "Half a sentence more", done: false },
  ]);
});

test("a late delta does not spoil a block that is complete", () => {
  const block = { runId: "R", agent: "topic", blockId: "b" };
  const state = after([
    { kind: "agent_reasoning", seq: 1, ...block, text: "All of it." },
    { kind: "agent_reasoning_delta", seq: null, ...block, text: " it." },
  ]);
  assert.equal(state.agents.R.entries[0].text, "All of it.");
});

test("text of an attempt that was given up is dropped", () => {
  const block = { runId: "R", agent: "topic", blockId: "b" };
  const state = after([
    { kind: "message_delta", seq: null, ...block, text: "Wrong" },
    { kind: "message_reset", seq: 1, ...block },
  ]);
  assert.deepEqual(state.agents.R.entries, []);
});

test("a resync starts the run anew and keeps the graph", () => {
  const state = reduce(after(aRun()), { kind: "resync", seq: null, why: "the log was cut" });
  assert.equal(state.lastSeq, 0);
  assert.deepEqual(state.agents, {});
  assert.deepEqual(Object.keys(state.graph.nodes), ["a", "a1", "b"]);
});

test("agents are told apart by run, and a child knows its concept", () => {
  const { agents } = after(aRun());
  assert.deepEqual(Object.keys(agents), ["R", "C"]);
  assert.equal(agents.C.nodeId, "a");
  assert.equal(agents.C.label, "subconcept_bootstrap:Alpha");
  assert.equal(agents.C.state, "done");
  assert.equal(agents.R.nodeId, null);
});

test("a refused call and a retry stay visible", () => {
  const { entries } = after(aRun()).agents.C;
  assert.deepEqual(
    entries.map((entry) => entry.type),
    ["retry", "tool"],
  );
  assert.equal(entries[0].delayMs, 4000);
  assert.equal(entries[1].result.ok, false);
});

test("tokens and cost add up while it runs, and end as the run says", () => {
  const events = aRun();
  const before = after(events.slice(0, -1));
  assert.equal(tokensOf(before.usage), 120);
  assert.equal(tokensOf(after(events).usage), 160);
  assert.equal(after(events).usage.costUsd, 0.03);
});

test("a run that is stopped leaves no agent at work and no text being written", () => {
  const state = after(
    numbered([
      {
        kind: "run_started",
        runId: "R",
        agent: "topic",
        lane: "topic",
        model: "m",
        caps: { iterations: 1, tokens: null, costUsd: null },
        offline: true,
      },
      { kind: "agent_reasoning_delta", seq: null, runId: "R", agent: "topic", blockId: "b", text: "I was just" },
      { kind: "run_done", runId: "R", status: "cancelled", reason: "stopped", usage: USAGE },
    ]),
  );
  assert.equal(state.agents.R.state, "stopped");
  assert.deepEqual(state.agents.R.entries, [], "text that no log has is kept by no page");
  assert.equal(state.status, "cancelled");
  assert.ok(state.endedAt);
});

test("a failed child fails alone; a failed root is the run's error", () => {
  const error = {
    kind: "agent_error",
    agent: "x",
    code: "bad_key",
    message: "Claude refused this key.",
    retryable: false,
  };
  const child = after(numbered([{ ...error, runId: "C" }]));
  assert.equal(child.error, null);
  assert.equal(child.agents.C.state, "failed");
  const root = after(numbered([{ ...error, runId: "R" }]));
  assert.deepEqual(root.error, { code: "bad_key", message: "Claude refused this key.", params: {}, retryable: false });
});

test("a removed node takes its edges along", () => {
  const state = reduce(after(aRun().slice(0, -1)), {
    kind: "node_removed",
    seq: 99,
    runId: "R",
    nodeId: "a",
    reason: null,
  });
  assert.deepEqual(Object.keys(state.graph.nodes), ["a1", "b"]);
  assert.deepEqual(state.graph.edges, {});
});

test("an updated node keeps the reason it was made for", () => {
  const state = reduce(after(aRun().slice(0, -1)), {
    kind: "node_updated",
    seq: 99,
    runId: "R",
    node: aNode("b", { title: "New" }),
    reason: null,
  });
  assert.equal(state.graph.nodes.b.title, "New");
  assert.equal(state.graph.nodes.b.reason, "The notes need it.");
});

test("a kind that is not known yet is passed over, and counted", () => {
  const state = reduce(emptyActivity("R"), { kind: "something_new", seq: 1, runId: "R" });
  assert.equal(state.lastSeq, 1);
  assert.deepEqual(state.agents, {});
});

test("nothing comes after the last event", () => {
  const ended = after(aRun());
  assert.equal(reduce(ended, { kind: "agent_start", seq: 99, runId: "R", agent: "topic" }), ended);
});

test("a run that is taken up again drops its text in flight and its open calls, and those of no other run", () => {
  const started = {
    agent: "x",
    lane: "topic:t",
    model: "m",
    caps: { iterations: 1, tokens: null, costUsd: null },
    offline: true,
  };
  const state = after(
    numbered([
      { kind: "run_started", runId: "R", ...started },
      { kind: "run_started", runId: "C", ...started, lane: "concept:a" },
      { kind: "agent_reasoning", runId: "R", agent: "x", blockId: "b1", text: "Whole." },
      { kind: "tool_call", runId: "R", agent: "x", callId: "c1", tool: "save_concept", input: {} },
      {
        kind: "tool_result",
        runId: "R",
        agent: "x",
        callId: "c1",
        tool: "save_concept",
        summary: "saved",
        ok: true,
        durationMs: 1,
        attempts: 1,
      },
      { kind: "tool_call", runId: "R", agent: "x", callId: "c2", tool: "save_concept", input: {} },
      { kind: "agent_reasoning_delta", seq: null, runId: "R", agent: "x", blockId: "b2", text: "Half a" },
      { kind: "agent_reasoning_delta", seq: null, runId: "C", agent: "x", blockId: "b3", text: "Mine" },
      { kind: "run_resumed", runId: "R", attempt: 2, cause: "cut_off" },
    ]),
  );
  assert.deepEqual(
    state.agents.R.entries.map((entry) => entry.blockId ?? entry.callId ?? `${entry.cause} ${entry.attempt}`),
    ["b1", "c1", "cut_off 2"],
  );
  assert.deepEqual([state.agents.R.state, state.agents.R.endedAt], ["working", null]);
  assert.deepEqual(
    state.agents.C.entries.map((entry) => entry.text),
    ["Mine"],
  );
});

test("a question stands until the run is taken up again", () => {
  const asked = numbered([
    { kind: "agent_start", runId: "R", agent: "topic" },
    {
      kind: "waiting_on_human",
      runId: "R",
      agent: "topic",
      question: "Which?",
      choices: ["A", "B"],
      why: "They differ.",
    },
  ]);
  const waits = after(asked);
  assert.deepEqual([waits.agents.R.state, waits.agents.R.asks.question], ["waiting", "Which?"]);
  const goesOn = reduce(waits, { kind: "run_resumed", seq: 3, runId: "R", attempt: 1, cause: "answered" });
  assert.deepEqual([goesOn.agents.R.state, goesOn.agents.R.asks], ["working", null]);
  assert.equal(
    reduce(waits, { kind: "run_done", seq: 3, runId: "R", status: "cancelled", reason: "cancelled", usage: USAGE })
      .agents.R.asks,
    null,
  );
});

const aRow = (more = {}) => ({
  id: "R",
  state: "queued",
  position: 2,
  cutOff: false,
  resumes: 0,
  lastEventId: 0,
  endedAt: null,
  question: null,
  error: null,
  ...more,
});

test("a row follows its events: its place in the queue, at work, waiting, at work again, over", () => {
  const told = numbered([
    { kind: "run_queued", runId: "R", agent: "topic", position: 2 },
    { kind: "run_queued", runId: "R", agent: "topic", position: 1 },
    {
      kind: "run_started",
      runId: "R",
      agent: "topic",
      lane: "topic:t",
      model: "m",
      caps: { iterations: 1, tokens: null, costUsd: null },
      offline: true,
    },
    { kind: "waiting_on_human", runId: "R", agent: "topic", question: "Which?", choices: null, why: "" },
    { kind: "run_resumed", runId: "R", attempt: 1, cause: "answered" },
    { kind: "run_done", runId: "R", status: "completed", reason: "end_turn", usage: USAGE },
  ]);
  const rows = told.map((_, i) => runAfter(aRow(), after(told.slice(0, i + 1))));
  assert.deepEqual(
    rows.map((row) => row.state),
    ["queued", "queued", "running", "waiting_on_human", "running", "completed"],
  );
  assert.deepEqual(rows.map((row) => row.position).slice(0, 3), [2, 1, 0]);
});

test("a row that is newer than the events told so far stays as it is", () => {
  const row = aRow({ state: "waiting_on_human", lastEventId: 9 });
  assert.equal(runAfter(row, after(aRun().slice(0, 3))), row);
  const ended = aRow({ state: "cancelled", endedAt: "2026-01-01T12:00:00.000Z" });
  assert.equal(runAfter(ended, after(aRun())), ended);
});

test("a run that was cut off is so no more once it is taken up again", () => {
  const row = aRow({ state: "running", cutOff: true, resumes: 1 });
  const before = numbered([
    { kind: "agent_start", runId: "R", agent: "topic" },
    { kind: "run_resumed", runId: "R", attempt: 1, cause: "cut_off" },
  ]);
  assert.equal(runAfter(row, after(before)).cutOff, true, "that was an earlier time");
  assert.equal(
    runAfter(row, after([...before, { kind: "run_resumed", seq: 3, runId: "R", attempt: 2, cause: "asked" }])).cutOff,
    false,
  );
});
