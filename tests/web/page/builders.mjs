// Small valid objects for the tests of the browser's pure modules.

export const USAGE = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0, costUsd: 0 };

/** Events of a run with numbers 1, 2, 3 … in the log and a second between them; deltas (`seq: null`) get no number. */
export function numbered(events) {
  let seq = 0;
  return events.map((event, i) => {
    const at = new Date(Date.UTC(2026, 0, 1, 12, 0, i)).toISOString();
    return event.seq === null ? { at, ...event } : { at, ...event, seq: ++seq };
  });
}

export const aNode = (id, more = {}) => ({
  id,
  userId: "u",
  type: "concept",
  branchId: "b",
  parentId: "root",
  title: `Title ${id}`,
  desc: null,
  accuracyScore: 0,
  createdAt: "2026-01-01 12:00:00",
  updatedAt: "2026-01-01 12:00:00",
  reason: null,
  ...more,
});

export const anEdge = (sourceNodeId, targetNodeId) => ({ sourceNodeId, targetNodeId });

/** A whole run of a path agent with one child, a retry, a refused call and a delta of a block that completes later. */
export const aRun = () =>
  numbered([
    { kind: "run_queued", runId: "R", agent: "topic", position: 0 },
    {
      kind: "run_started",
      runId: "R",
      agent: "topic",
      lane: "topic",
      model: "claude-opus-5-5",
      caps: { iterations: 15, tokens: null, costUsd: 1.5 },
      offline: false,
    },
    { kind: "agent_start", runId: "R", agent: "topic" },
    { kind: "agent_reasoning_delta", seq: null, runId: "R", agent: "topic", blockId: "b1", text: "First " },
    { kind: "agent_reasoning_delta", seq: null, runId: "R", agent: "topic", blockId: "b1", text: "thoughts" },
    { kind: "agent_reasoning", runId: "R", agent: "topic", blockId: "b1", text: "First thoughts." },
    {
      kind: "tool_call",
      runId: "R",
      agent: "topic",
      callId: "c1",
      tool: "save_concept",
      input: { title: "Alpha", desc: "One." },
    },
    { kind: "node_created", runId: "R", agent: "topic", node: aNode("a"), reason: null },
    {
      kind: "tool_result",
      runId: "R",
      agent: "topic",
      callId: "c1",
      tool: "save_concept",
      summary: "saved",
      ok: true,
      durationMs: 12,
      attempts: 1,
    },
    { kind: "run_queued", runId: "C", agent: "subconcept_bootstrap:Alpha", position: 1 },
    {
      kind: "run_started",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      lane: "concept:a",
      model: "claude-sonnet-5-5",
      caps: { iterations: 15, tokens: null, costUsd: null },
      offline: false,
    },
    {
      kind: "model_retry",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      attempt: 2,
      of: 5,
      delayMs: 4000,
      why: "Claude is overloaded",
    },
    {
      kind: "tool_call",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      callId: "c2",
      tool: "save_subconcept",
      input: { title: "Part" },
    },
    {
      kind: "tool_result",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      callId: "c2",
      tool: "save_subconcept",
      summary: "refused",
      ok: false,
      durationMs: 3,
      attempts: 1,
    },
    {
      kind: "usage",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      usage: { ...USAGE, inputTokens: 100, outputTokens: 20, costUsd: 0.02 },
    },
    {
      kind: "node_created",
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      node: aNode("a1", { type: "subconcept", parentId: "a" }),
      reason: null,
    },
    { kind: "agent_done", runId: "C", agent: "subconcept_bootstrap:Alpha", reason: "end_turn", usage: USAGE },
    { kind: "node_created", runId: "R", agent: "topic", node: aNode("b"), reason: "The notes need it." },
    { kind: "edge_created", runId: "R", agent: "topic", edge: anEdge("a", "b"), reason: null },
    {
      kind: "agent_done",
      runId: "R",
      agent: "topic",
      reason: "end_turn",
      usage: USAGE,
      conceptCount: 2,
      rationale: "Two steps.",
    },
    {
      kind: "run_done",
      runId: "R",
      status: "completed",
      reason: "end_turn",
      usage: { ...USAGE, inputTokens: 130, outputTokens: 30, costUsd: 0.03 },
    },
  ]);
