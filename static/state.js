// @ts-check
/** What a run has done so far, from its events alone: the same events give the same state, live or replayed. */

import { emptyGraph, grown } from "./graph.js";

/** @import { Activity, Agent, Entry, Graph, Run, RunEvent, Usage } from "./types.d.ts" */

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
  rootId, lane: null, lastSeq: 0, agents: {}, usage: NOTHING, caps: null, offline: false, startedAt: null, endedAt: null,
  lastAt: null, status: null, reason: null, rationale: null, error: null, graph,
});

/**
 * The state after one more event. An event that was seen before changes nothing, nor does any after the last one.
 * @param {Activity} state @param {RunEvent} event @returns {Activity}
 */
export function reduce(state, event) {
  if (event.kind === "resync") return emptyActivity(state.rootId, state.graph);
  if (state.status || (event.seq !== null && event.seq <= state.lastSeq)) return state;
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
      return isRoot ? { ...state, lane: event.lane, caps: event.caps, offline: event.offline, startedAt: state.startedAt ?? event.at ?? null } : state;
    case "run_resumed":
      return isRoot ? { ...state, error: null } : state;
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
const stopped = (agent, event) => ({ ...agent, state: "stopped", asks: null, endedAt: event.at ?? agent.startedAt, entries: settled(agent.entries) });

/** Without text that is still being written: the log does not have it, so no page keeps it. @param {Entry[]} entries @returns {Entry[]} */
const settled = (entries) => entries.filter((entry) => entry.type !== "text" || entry.done);

/** Without what a carrier that is gone had in hand: its text in flight and its open calls begin again. @param {Entry[]} entries @returns {Entry[]} */
const resumable = (entries) => settled(entries).filter((entry) => entry.type !== "tool" || entry.result);

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
  startedAt: null, endedAt: null, asks: null, entries: [], usage: NOTHING,
});

/** @typedef {(agent: Agent, event: RunEvent) => Agent} Step */

/** @type {Step} */
const text = (agent, event) => {
  const of = TEXT_OF[event.of ?? event.kind];
  const isDelta = event.kind.endsWith("_delta");
  const at = agent.entries.findLastIndex((entry) => entry.type === "text" && entry.blockId === event.blockId);
  const old = /** @type {import("./types.d.ts").TextEntry | undefined} */ (agent.entries[at]);
  if (old?.done && event.seq === null) return agent;
  const entry = {
    type: /** @type {const} */ ("text"), of, blockId: event.blockId,
    text: isDelta ? (old?.text ?? "") + event.text : event.text, done: event.seq !== null,
  };
  if (at < 0) return { ...agent, entries: [...agent.entries, entry] };
  // Whole text takes its place in the log's order, wherever it began: those who saw it grow and those who did not agree.
  return { ...agent, entries: entry.done ? [...agent.entries.toSpliced(at, 1), entry] : agent.entries.with(at, entry) };
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
    ...agent, state: "working", position: 0, model: event.model, offline: event.offline, startedAt: agent.startedAt ?? event.at ?? null,
    nodeId: event.lane.startsWith("concept:") ? event.lane.slice("concept:".length) : null,
  }),
  agent_start: (agent, event) => ({ ...agent, state: agent.asks ? "waiting" : "working", startedAt: agent.startedAt ?? event.at ?? null }),
  agent_done: (agent, event) => ({
    ...agent, state: "done", reason: event.reason, asks: null, endedAt: event.at ?? null, entries: settled(agent.entries),
  }),
  agent_error: (agent, event) => ({
    ...note("error", "code", "message", "retryable")({ ...agent, entries: settled(agent.entries) }, event),
    state: "failed", reason: event.code, asks: null, endedAt: event.at ?? null,
  }),
  run_resumed: (agent, event) => ({
    ...note("resumed", "attempt", "cause")({ ...agent, entries: resumable(agent.entries) }, event),
    state: "working", reason: null, asks: null, endedAt: null, startedAt: agent.startedAt ?? event.at ?? null,
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
  waiting_on_human: (agent, event) => ({
    ...note("asks", "question", "choices", "why")(agent, event),
    state: "waiting", asks: { question: event.question, choices: event.choices, why: event.why, at: event.at ?? null },
  }),
  usage: (agent, event) => ({ ...agent, usage: plus(agent.usage, event.usage) }),
};

/** @type {Record<string, Run["state"]>} */
const ENDED_AS = { done: "completed", failed: "failed", stopped: "cancelled" };

/** A run's row after what its events said since it was asked for. @param {Run} run @param {Activity} activity @returns {Run} */
export function rowAfter(run, activity) {
  if (run.endedAt || activity.lastSeq < run.lastEventId) return run; // what was told so far is older than the row
  if (run.id === activity.rootId && activity.status) {
    const state = /** @type {Run["state"]} */ (activity.status);
    return { ...run, state, reason: activity.reason, usage: activity.usage, error: activity.error ?? run.error, endedAt: activity.endedAt, question: null, cutOff: false };
  }
  const agent = activity.agents[run.id];
  if (!agent) return run;
  const state = agent.endedAt ? ENDED_AS[agent.state] : agent.asks ? "waiting_on_human" : agent.startedAt ? "running" : "queued";
  const cutOff = run.cutOff && !agent.entries.some((entry) => entry.type === "resumed" && entry.attempt > run.resumes);
  const position = agent.startedAt ? 0 : agent.position;
  if (run.state === state && run.position === position && run.cutOff === cutOff) return run;
  return { ...run, state, position, cutOff, endedAt: run.id === activity.rootId ? null : agent.endedAt };
}

/** @param {RunEvent} event */
const resultOf = (event) => ({ summary: event.summary, ok: event.ok, durationMs: event.durationMs, attempts: event.attempts });
