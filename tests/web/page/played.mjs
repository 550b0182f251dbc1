// The learner's stream as the server has it, played from a recording: any reader may come and go at any place of it.

import { numbered, USAGE } from "./builders.mjs";

const started = (runId, lane, agent = "topic") => ({
  kind: "run_started",
  runId,
  agent,
  lane,
  model: "m",
  caps: { iterations: 9, tokens: null, costUsd: null },
  offline: true,
});
const delta = (runId, blockId, text) => ({
  kind: "agent_reasoning_delta",
  seq: null,
  runId,
  agent: "topic",
  blockId,
  text,
});
const whole = (runId, blockId, text) => ({ kind: "agent_reasoning", runId, agent: "topic", blockId, text });
const call = (runId, callId) => ({
  kind: "tool_call",
  runId,
  agent: "topic",
  callId,
  tool: "save_concept",
  input: { title: callId },
});
const result = (runId, callId) => ({
  kind: "tool_result",
  runId,
  agent: "topic",
  callId,
  tool: "save_concept",
  summary: "saved",
  ok: true,
  durationMs: 1,
  attempts: 1,
});
const note = (runId) => ({ kind: "guardrail", runId, agent: "topic", level: 1, tool: null, noticed: "noticed" });

/** A run that is cut off in the middle of a reply, taken up again, asks, is answered, and ends. */
const first = numbered([
  { kind: "run_queued", runId: "A", agent: "topic", position: 1 },
  { kind: "run_queued", runId: "A", agent: "topic", position: 0 },
  started("A", "topic:t"),
  { kind: "agent_start", runId: "A", agent: "topic" },
  delta("A", "b1", "One "),
  note("A"),
  delta("A", "b1", "two"),
  whole("A", "b1", "One two."),
  call("A", "c1"),
  started("A1", "concept:a", "subconcept_bootstrap:Alpha"),
  delta("A1", "k1", "Child "),
  result("A", "c1"),
  call("A", "c2"),
  delta("A", "b2", "Half a sen"),
  delta("A", "b2", "tence"),
  { kind: "run_resumed", runId: "A", attempt: 1, cause: "cut_off" },
  delta("A1", "k1", "goes on"),
  whole("A1", "k1", "Child goes on."),
  call("A", "c2"),
  result("A", "c2"),
  {
    kind: "waiting_on_human",
    runId: "A",
    agent: "topic",
    question: "Which?",
    choices: ["x", "y"],
    why: "They differ.",
  },
  { kind: "run_resumed", runId: "A", attempt: 2, cause: "answered" },
  delta("A", "b3", "Third "),
  { kind: "usage", runId: "A", agent: "topic", usage: { ...USAGE, inputTokens: 5 } },
  { kind: "message_reset", runId: "A", agent: "topic", blockId: "b3" },
  delta("A", "b4", "Fourth"),
  whole("A", "b4", "Fourth."),
  { kind: "agent_done", runId: "A1", agent: "subconcept_bootstrap:Alpha", reason: "end_turn", usage: USAGE },
  { kind: "agent_done", runId: "A", agent: "topic", reason: "end_turn", usage: USAGE, rationale: "Why." },
  { kind: "run_done", runId: "A", status: "completed", reason: "end_turn", usage: { ...USAGE, inputTokens: 5 } },
]);
/** A run whose process is killed in the middle of a sentence, and that nobody takes up again. */
const second = numbered([
  started("B", "topic:u"),
  { kind: "agent_start", runId: "B", agent: "topic" },
  delta("B", "b", "Never fin"),
  call("B", "c"),
  { kind: "run_done", runId: "B", status: "failed", reason: "cut_off", usage: USAGE },
]);

/** Both runs as they happened, one event of the second after every fourth of the first. @returns {{ rootId: string, event: any }[]} */
export function recording() {
  const rest = second.map((event) => ({ rootId: "B", event }));
  return first.flatMap((event, i) => [{ rootId: "A", event }, ...(i % 4 === 3 ? rest.splice(0, 1) : [])]);
}

const kept = (happened, rootId) =>
  happened.filter((each) => each.rootId === rootId && each.event.seq !== null).map((each) => each.event);
const isOver = (happened, rootId) => kept(happened, rootId).some((event) => event.kind === "run_done");

/** The text in flight once so much has happened: what a reader who comes now is told of it. */
function snapshots(happened) {
  const blocks = new Map();
  for (const { rootId, event } of happened) {
    const id = `${event.runId} ${event.blockId}`;
    if (event.kind === "agent_reasoning_delta")
      blocks.set(id, {
        rootId,
        runId: event.runId,
        agent: event.agent,
        blockId: event.blockId,
        text: (blocks.get(id)?.text ?? "") + event.text,
      });
    if (event.kind === "agent_reasoning" || event.kind === "message_reset") blocks.delete(id);
    if (event.kind === "run_resumed" || event.kind === "run_done")
      for (const [each, { runId }] of blocks) if (runId === event.runId) blocks.delete(each);
  }
  return [...blocks.values()].map((block) => frame("block_snapshot", { ...block, of: "agent_reasoning_delta" }));
}

/** One SSE message as a browser hands it on. */
const frame = (kind, data, id = "") => ({ kind, id, data: JSON.stringify(data) });

/**
 * What one connection brings: opened when `from` things had happened, cut when `to` had.
 * @param {Record<string, number> | null} cursor null for one that cannot be read
 */
export function* connection(happened, cursor, from, to) {
  const before = happened.slice(0, from);
  const places = new Map();
  for (const rootId of [...new Set(before.map((each) => each.rootId))]) {
    if (isOver(before, rootId) && !(rootId in (cursor ?? {}))) continue;
    const log = kept(before, rootId);
    const known = cursor?.[rootId] ?? 0;
    if (known > log.length || !cursor) yield frame("resync", { rootId, why: "no such event" });
    places.set(rootId, known > log.length ? 0 : known);
    for (const event of log.slice(places.get(rootId))) yield* logged(rootId, event);
  }
  yield* snapshots(before);
  for (const { rootId, event } of happened.slice(from, to)) {
    if (event.seq === null) yield frame(event.kind, { rootId, ...event });
    else yield* logged(rootId, event);
  }

  function* logged(rootId, { kind, seq, ...data }) {
    places.set(rootId, seq);
    yield frame(kind, { rootId, ...data }, [...places].map(([root, reached]) => `${root}:${reached}`).join(","));
    if (kind === "run_done") places.delete(rootId);
  }
}
