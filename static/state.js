// @ts-check
/** What a run has done so far, from its events alone: the same events give the same state, live or replayed. */

import { emptyGraph, grown } from "./graph.js";

/** @import { Activity, Agent, Entry, Graph, RunEvent, Usage } from "./types.d.ts" */

/** @type {Usage} */
const NOTHING = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0, costUsd: 0 };

/** @type {Record<string, "reasoning" | "thinking" | "message">} */
const TEXT_OF = {
  agent_reasoning: "reasoning", agent_reasoning_delta: "reasoning",
  thinking: "thinking", thinking_delta: "thinking",
  message: "message", message_delta: "message",
};

/**
 * A run of which nothing is known yet, upon the graph as it stood when the page was loaded.
 * @param {string} rootId @param {Graph} [graph] @returns {Activity}
 */
export const emptyActivity = (rootId, graph = emptyGraph()) => ({
  rootId, lastSeq: 0, agents: {}, usage: NOTHING, caps: null, offline: false, startedAt: null, endedAt: null,
  lastAt: null, status: null, reason: null, rationale: null, error: null, graph,
});

/**
 * The state after one more event. An event that was seen before changes nothing.
 * @param {Activity} state @param {RunEvent} event @returns {Activity}
 */
export function reduce(state, event) {
  if (event.kind === "resync") return emptyActivity(state.rootId, state.graph);
  if (event.seq !== null && event.seq <= state.lastSeq) return state;
  const next = { ...withAgent(withRun(state, event), event), graph: grown(state.graph, event) };
  return event.seq === null ? next : { ...next, lastSeq: event.seq, lastAt: event.at ?? state.lastAt };
}

/** Tokens that count towards the bill, in and out. @param {Usage} usage */
export const tokensOf = (usage) => usage.inputTokens + usage.outputTokens + usage.cacheWriteTokens + usage.cacheReadTokens;

/** @param {Usage} a @param {Usage} b @returns {Usage} */
const plus = (a, b) => ({
  inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens, cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  costUsd: a.costUsd + b.costUsd,
});

/** What the event says about the run as a whole. @param {Activity} state @param {RunEvent} event @returns {Activity} */
function withRun(state, event) {
  const isRoot = (event.runId ?? state.rootId) === state.rootId;
  switch (event.kind) {
    case "run_started":
      return isRoot ? { ...state, caps: event.caps, offline: event.offline, startedAt: event.at ?? null } : state;
    case "usage":
      return { ...state, usage: plus(state.usage, event.usage) };
    case "agent_done":
      return isRoot && event.rationale ? { ...state, rationale: event.rationale } : state;
    case "agent_error":
      return isRoot ? { ...state, error: { code: event.code, message: event.message, retryable: event.retryable } } : state;
    case "run_done":
      return {
        ...state, status: event.status, reason: event.reason, usage: event.usage, endedAt: event.at ?? state.lastAt,
        agents: allEnded(state.agents, event),
      };
    default:
      return state;
  }
}

/** @param {Record<string, Agent>} agents @param {RunEvent} event */
function allEnded(agents, event) {
  const ended = Object.values(agents).map((agent) => [agent.runId, agent.endedAt ? agent : stopped(agent, event)]);
  return Object.fromEntries(ended);
}

/** @param {Agent} agent @param {RunEvent} event @returns {Agent} */
const stopped = (agent, event) => ({ ...agent, state: "stopped", endedAt: event.at ?? agent.startedAt, entries: settled(agent.entries) });

/** No text is still being written. @param {Entry[]} entries @returns {Entry[]} */
const settled = (entries) => entries.map((entry) => (entry.type === "text" && !entry.done ? { ...entry, done: true } : entry));

/** What the event says about the agent that acted. @param {Activity} state @param {RunEvent} event @returns {Activity} */
function withAgent(state, event) {
  const step = STEPS[event.kind];
  if (!step) return state;
  const runId = event.runId ?? state.rootId;
  const before = state.agents[runId] ?? newAgent(runId);
  const named = event.agent && !before.label ? { ...before, label: event.agent } : before;
  return { ...state, agents: { ...state.agents, [runId]: step(named, event) } };
}

/** @param {string} runId @returns {Agent} */
const newAgent = (runId) => ({
  runId, label: "", nodeId: null, model: null, offline: false, state: "queued", reason: null, queuedAt: null, position: 0,
  startedAt: null, endedAt: null, entries: [], usage: NOTHING,
});

/** @typedef {(agent: Agent, event: RunEvent) => Agent} Step */

/** @type {Step} */
const text = (agent, event) => {
  const of = TEXT_OF[event.of ?? event.kind];
  const isDelta = event.kind.endsWith("_delta");
  const at = agent.entries.findIndex((entry) => entry.type === "text" && entry.blockId === event.blockId);
  const old = /** @type {import("./types.d.ts").TextEntry | undefined} */ (agent.entries[at]);
  if (old?.done && event.seq === null) return agent;
  const entry = {
    type: /** @type {const} */ ("text"), of, blockId: event.blockId,
    text: isDelta ? (old?.text ?? "") + event.text : event.text, done: event.seq !== null,
  };
  return { ...agent, entries: at < 0 ? [...agent.entries, entry] : agent.entries.with(at, entry) };
};

/** @param {import("./types.d.ts").NoteEntry["type"]} type @param {...string} fields @returns {Step} */
const note = (type, ...fields) => (agent, event) => ({
  ...agent,
  entries: [...agent.entries, { type, at: event.at ?? null, ...Object.fromEntries(fields.map((name) => [name, event[name]])) }],
});

/** @type {Record<string, Step>} */
const STEPS = {
  run_queued: (agent, event) => ({ ...agent, position: event.position, queuedAt: agent.queuedAt ?? event.at ?? null }),
  run_started: (agent, event) => ({
    ...agent, state: "working", model: event.model, offline: event.offline, startedAt: agent.startedAt ?? event.at ?? null,
    nodeId: event.lane.startsWith("concept:") ? event.lane.slice("concept:".length) : null,
  }),
  agent_start: (agent, event) => ({ ...agent, state: "working", startedAt: agent.startedAt ?? event.at ?? null }),
  agent_done: (agent, event) => ({
    ...agent, state: "done", reason: event.reason, endedAt: event.at ?? null, entries: settled(agent.entries),
  }),
  agent_error: (agent, event) => ({
    ...note("error", "code", "message", "retryable")(agent, event),
    state: "failed", reason: event.code, endedAt: event.at ?? null,
  }),
  agent_reasoning_delta: text, agent_reasoning: text, thinking_delta: text, thinking: text,
  message_delta: text, message: text, block_snapshot: text,
  message_reset: (agent, event) => ({
    ...agent, entries: agent.entries.filter((entry) => !(entry.type === "text" && entry.blockId === event.blockId)),
  }),
  tool_call: (agent, event) => ({
    ...agent,
    entries: [...agent.entries, { type: "tool", callId: event.callId, tool: event.tool, input: event.input ?? {}, at: event.at ?? null, result: null }],
  }),
  tool_result: (agent, event) => ({
    ...agent,
    entries: agent.entries.map((entry) => (entry.type === "tool" && entry.callId === event.callId ? { ...entry, result: resultOf(event) } : entry)),
  }),
  model_retry: note("retry", "attempt", "of", "delayMs", "why"),
  model_switched: (agent, event) => ({ ...note("switched", "from", "to", "why")(agent, event), model: event.to }),
  context_compacted: note("compacted", "rung", "tokensBefore", "tokensAfter"),
  guardrail: note("guardrail", "level", "tool", "noticed"),
  waiting_on_human: note("asks", "question", "choices", "why"),
  usage: (agent, event) => ({ ...agent, usage: plus(agent.usage, event.usage) }),
};

/** @param {RunEvent} event */
const resultOf = (event) => ({ summary: event.summary, ok: event.ok, durationMs: event.durationMs, attempts: event.attempts });
