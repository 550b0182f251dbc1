// @ts-check
/** Event reducer: the activity of a run from its events; the same events give the same state, live or replayed. */

import { emptyGraph, graphAfter } from "./graph.js";

/** @import { Activity, Agent, Entry, Graph, Run, RunEvent, Usage } from "../types.d.ts" */

/** @type {Usage} */
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0, costUsd: 0 };

/** @type {Record<string, "reasoning" | "thinking" | "message">} */
const TEXT_OF = {
  agent_reasoning: "reasoning",
  agent_reasoning_delta: "reasoning",
  thinking: "thinking",
  thinking_delta: "thinking",
  message: "message",
  message_delta: "message",
};

/**
 * A run without events, over the graph as it was loaded.
 * @param {string} rootId @param {Graph} [graph] @returns {Activity}
 */
export const emptyActivity = (rootId, graph = emptyGraph()) => ({
  rootId,
  lane: null,
  lastSeq: 0,
  agents: {},
  usage: NO_USAGE,
  caps: null,
  offline: false,
  startedAt: null,
  endedAt: null,
  lastAt: null,
  status: null,
  reason: null,
  reachedLimit: null,
  rationale: null,
  rationaleCode: null,
  error: null,
  graph,
});

/**
 * The state after one more event. Repeated events and events after the last one change nothing.
 * @param {Activity} state @param {RunEvent} event @returns {Activity}
 */
export function reduce(state, event) {
  if (event.kind === "resync") return emptyActivity(state.rootId, state.graph);
  if (state.status || (event.seq !== null && event.seq <= state.lastSeq)) return state;
  const next = { ...withAgent(withRun(state, event), event), graph: graphAfter(state.graph, event) };
  return event.seq === null ? next : { ...next, lastSeq: event.seq, lastAt: event.at ?? state.lastAt };
}

/** Billed tokens, in and out. @param {Usage} usage */
export const tokensOf = (usage) =>
  usage.inputTokens + usage.outputTokens + usage.cacheWriteTokens + usage.cacheReadTokens;

/** @param {Usage} a @param {Usage} b @returns {Usage} */
const addUsage = (a, b) => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  costUsd: a.costUsd + b.costUsd,
});

/**
 * The state with what an event says about the whole run.
 * @param {Activity} state
 * @param {RunEvent} event
 * @returns {Activity}
 */
function withRun(state, event) {
  const isRoot = (event.runId ?? state.rootId) === state.rootId;
  switch (event.kind) {
    case "run_started":
      return isRoot
        ? {
            ...state,
            lane: event.lane,
            caps: event.caps,
            offline: event.offline,
            startedAt: state.startedAt ?? event.at ?? null,
          }
        : state;
    case "run_resumed":
      return isRoot ? { ...state, error: null } : state;
    case "usage":
      return { ...state, usage: addUsage(state.usage, event.usage) };
    case "agent_done":
      return isRoot && event.rationale
        ? { ...state, rationale: event.rationale, rationaleCode: event.rationaleCode ?? null }
        : state;
    case "agent_error":
      return isRoot
        ? {
            ...state,
            error: { code: event.code, message: event.message, params: event.params ?? {}, retryable: event.retryable },
          }
        : state;
    case "run_done":
      return {
        ...state,
        status: event.status,
        reason: event.reason,
        reachedLimit: event.reachedLimit ?? null,
        usage: event.usage,
        endedAt: event.at ?? state.lastAt,
        agents: allStopped(state.agents, event),
      };
    default:
      return state;
  }
}

/** @param {Record<string, Agent>} agents @param {RunEvent} event */
function allStopped(agents, event) {
  const ended = Object.values(agents).map((agent) => [agent.runId, agent.endedAt ? agent : stoppedAgent(agent, event)]);
  return Object.fromEntries(ended);
}

/** @param {Agent} agent @param {RunEvent} event @returns {Agent} */
const stoppedAgent = (agent, event) => ({
  ...agent,
  state: "stopped",
  asks: null,
  endedAt: event.at ?? agent.startedAt,
  entries: withoutUnfinishedText(agent.entries),
});

/**
 * The entries without unfinished text, which the log does not have.
 * @param {Entry[]} entries
 * @returns {Entry[]}
 */
const withoutUnfinishedText = (entries) => entries.filter((entry) => entry.type !== "text" || entry.done);

/**
 * The entries without unfinished text and calls, which begin again when another worker resumes the run.
 * @param {Entry[]} entries
 * @returns {Entry[]}
 */
const withoutUnfinishedWork = (entries) =>
  withoutUnfinishedText(entries).filter((entry) => entry.type !== "tool" || entry.result);

/**
 * The state with what an event says about its agent.
 * @param {Activity} state
 * @param {RunEvent} event
 * @returns {Activity}
 */
function withAgent(state, event) {
  const step = AGENT_REDUCERS[event.kind];
  if (!step) return state;
  const runId = event.runId ?? state.rootId;
  const before = state.agents[runId] ?? newAgent(runId);
  const named = event.agent && !before.label ? { ...before, label: event.agent } : before;
  return { ...state, agents: { ...state.agents, [runId]: step(named, event) } };
}

/** @param {string} runId @returns {Agent} */
const newAgent = (runId) => ({
  runId,
  label: "",
  nodeId: null,
  model: null,
  offline: false,
  state: "queued",
  reason: null,
  reachedLimit: null,
  queuedAt: null,
  position: 0,
  startedAt: null,
  endedAt: null,
  asks: null,
  entries: [],
  usage: NO_USAGE,
  graded: null,
});

/** @typedef {(agent: Agent, event: RunEvent) => Agent} AgentReducer */

/** @type {AgentReducer} */
const text = (agent, event) => {
  const of = TEXT_OF[event.of ?? event.kind];
  const isDelta = event.kind.endsWith("_delta");
  const at = agent.entries.findLastIndex((entry) => entry.type === "text" && entry.blockId === event.blockId);
  const old = /** @type {import("../types.d.ts").TextEntry | undefined} */ (agent.entries[at]);
  if (old?.done && event.seq === null) return agent;
  const entry = {
    type: /** @type {const} */ ("text"),
    of,
    blockId: event.blockId,
    text: isDelta ? (old?.text ?? "") + event.text : event.text,
    done: event.seq !== null,
  };
  if (at < 0) return { ...agent, entries: [...agent.entries, entry] };
  // Stored text takes its place in the log's order, so that live and replayed pages agree.
  return { ...agent, entries: entry.done ? [...agent.entries.toSpliced(at, 1), entry] : agent.entries.with(at, entry) };
};

/** @param {import("../types.d.ts").NoteEntry["type"]} type @param {...string} fields @returns {AgentReducer} */
const note =
  (type, ...fields) =>
  (agent, event) => ({
    ...agent,
    entries: [
      ...agent.entries,
      { type, at: event.at ?? null, ...Object.fromEntries(fields.map((name) => [name, event[name]])) },
    ],
  });

/** @type {Record<string, AgentReducer>} */
const AGENT_REDUCERS = {
  run_queued: (agent, event) => ({ ...agent, position: event.position, queuedAt: agent.queuedAt ?? event.at ?? null }),
  run_started: (agent, event) => ({
    ...agent,
    state: "working",
    position: 0,
    model: event.model,
    offline: event.offline,
    startedAt: agent.startedAt ?? event.at ?? null,
    nodeId: event.lane.startsWith("concept:") ? event.lane.slice("concept:".length) : null,
  }),
  agent_start: (agent, event) => ({
    ...agent,
    state: agent.asks ? "waiting" : "working",
    startedAt: agent.startedAt ?? event.at ?? null,
  }),
  agent_done: (agent, event) => ({
    ...agent,
    state: "done",
    reason: event.reason,
    reachedLimit: event.reachedLimit ?? null,
    asks: null,
    endedAt: event.at ?? null,
    entries: withoutUnfinishedText(agent.entries),
  }),
  agent_error: (agent, event) => ({
    ...note(
      "error",
      "code",
      "message",
      "params",
      "retryable",
    )({ ...agent, entries: withoutUnfinishedText(agent.entries) }, event),
    state: "failed",
    reason: event.code,
    reachedLimit: event.reachedLimit ?? null,
    asks: null,
    endedAt: event.at ?? null,
  }),
  run_resumed: (agent, event) => ({
    ...note("resumed", "attempt", "cause")({ ...agent, entries: withoutUnfinishedWork(agent.entries) }, event),
    state: "working",
    reason: null,
    asks: null,
    endedAt: null,
    startedAt: agent.startedAt ?? event.at ?? null,
  }),
  agent_reasoning_delta: text,
  agent_reasoning: text,
  thinking_delta: text,
  thinking: text,
  message_delta: text,
  message: text,
  block_snapshot: text,
  message_reset: (agent, event) => ({
    ...agent,
    entries: agent.entries.filter((entry) => !(entry.type === "text" && entry.blockId === event.blockId)),
  }),
  tool_call: (agent, event) => ({
    ...agent,
    entries: [
      ...agent.entries,
      {
        type: "tool",
        callId: event.callId,
        tool: event.tool,
        input: event.input ?? {},
        at: event.at ?? null,
        result: null,
      },
    ],
  }),
  tool_result: (agent, event) => ({
    ...agent,
    entries: agent.entries.map((entry) =>
      entry.type === "tool" && entry.callId === event.callId ? { ...entry, result: resultOf(event) } : entry,
    ),
  }),
  graded: (agent, event) => ({ ...agent, graded: /** @type {any} */ (event) }),
  model_retry: note("retry", "attempt", "of", "delayMs", "why", "code", "params"),
  model_switched: (agent, event) => ({
    ...note("switched", "from", "to", "why", "code", "params")(agent, event),
    model: event.to,
  }),
  context_compacted: note("compacted", "rung", "tokensBefore", "tokensAfter"),
  guardrail: note("guardrail", "level", "tool", "noticed"),
  waiting_on_human: (agent, event) => ({
    ...note("asks", "of", "tool", "question", "choices", "why")(agent, event),
    state: "waiting",
    asks: { kind: event.of, tool: event.tool, question: event.question, at: event.at ?? null },
  }),
  usage: (agent, event) => ({ ...agent, usage: addUsage(agent.usage, event.usage) }),
};

/** @type {Record<string, Run["state"]>} */
const ENDED_AS = { done: "completed", failed: "failed", stopped: "cancelled" };

/**
 * A run's row, updated by its events.
 * @param {Run} run
 * @param {Activity} activity
 * @returns {Run}
 */
export function runAfter(run, activity) {
  if (run.endedAt || activity.lastSeq < run.lastEventId) return run; // the events so far are older than the row
  if (run.id === activity.rootId && activity.status) {
    const state = /** @type {Run["state"]} */ (activity.status);
    return {
      ...run,
      state,
      reason: activity.reason,
      reachedLimit: activity.reachedLimit,
      usage: activity.usage,
      error: activity.error ?? run.error,
      endedAt: activity.endedAt,
      question: null,
      cutOff: false,
    };
  }
  const agent = activity.agents[run.id];
  if (!agent) return run;
  const state = agent.endedAt
    ? ENDED_AS[agent.state]
    : agent.asks
      ? "waiting_on_human"
      : agent.startedAt
        ? "running"
        : "queued";
  const cutOff = run.cutOff && !agent.entries.some((entry) => entry.type === "resumed" && entry.attempt > run.resumes);
  const position = agent.startedAt ? 0 : agent.position;
  if (run.state === state && run.position === position && run.cutOff === cutOff) return run;
  return { ...run, state, position, cutOff, endedAt: run.id === activity.rootId ? null : agent.endedAt };
}

/** @param {RunEvent} event */
const resultOf = (event) => ({
  summary: event.summary,
  ok: event.ok,
  durationMs: event.durationMs,
  attempts: event.attempts,
});
