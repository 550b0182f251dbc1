// @ts-check
/** One run's events, live: opens, parses, notices silence, comes back by itself, and closes at the end. */

/** @import { RunEvent } from "./types.d.ts" */

/** Kinds that the log keeps: only their SSE id is a number of the log (a browser repeats the last id on the others). */
export const DURABLE = [
  "run_started", "run_queued", "agent_start", "agent_done", "agent_error", "agent_reasoning", "thinking", "message",
  "message_reset", "tool_call", "tool_result", "node_created", "node_updated", "node_removed", "edge_created",
  "edge_removed", "diagnostic_status", "question_ready", "model_retry", "model_switched", "context_compacted",
  "guardrail", "waiting_on_human", "usage", "run_done",
];
export const PASSING = ["agent_reasoning_delta", "thinking_delta", "message_delta", "block_snapshot", "resync", "reconnect"];

const SILENCE_MS = 40_000;
const STALE_MS = 15_000;
const LOOK_EVERY_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The event of one SSE message. @param {string} kind @param {string} id @param {string} data @returns {RunEvent} */
export function parsed(kind, id, data) {
  const seq = DURABLE.includes(kind) && /^\d+$/.test(id) ? Number(id) : null;
  return { ...JSON.parse(data), kind, seq };
}

/** How long to wait before the next attempt: doubling, with a random part so that many pages do not return at once. @param {number} attempt from 0 @param {number} chance 0..1 */
export const backOff = (attempt, chance) => Math.round(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + chance / 2));

/**
 * @typedef {{ state: "open" | "offline" | "done" } | { state: "waiting", untilMs: number }} Line
 * @typedef {{ onEvent: (event: RunEvent) => void, onLine: (line: Line) => void, onRefused: () => Promise<boolean> }} Listener
 *   `onRefused` is asked when the server answered without a stream: true to go on trying
 */

/**
 * Follow a run from its first event to its last.
 * @param {(after: number) => string} urlAfter @param {Listener} listener @returns {() => void} stops following
 */
export function follow(urlAfter, listener) {
  /** @type {EventSource | null} */
  let source = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let after = 0;
  let attempt = 0;
  let heardMs = Date.now();
  let over = false;

  const take = (/** @type {MessageEvent} */ message) => {
    heardMs = Date.now();
    attempt = 0;
    const event = parsed(message.type, message.lastEventId, message.data);
    if (event.kind === "reconnect") return again(event.retryMs);
    if (event.kind === "resync") after = 0;
    if (event.seq !== null) after = Math.max(after, event.seq);
    listener.onEvent(event);
    if (event.kind === "run_done") end();
  };

  const open = () => {
    clearTimeout(timer);
    source?.close();
    heardMs = Date.now();
    source = new EventSource(urlAfter(after));
    for (const kind of [...DURABLE, ...PASSING]) source.addEventListener(kind, take);
    source.onopen = () => { heardMs = Date.now(); listener.onLine({ state: "open" }); };
    source.onerror = failed;
  };

  const failed = async () => {
    const refused = source?.readyState === EventSource.CLOSED;
    source?.close();
    if (over) return;
    if (refused && attempt > 0 && !(await listener.onRefused())) return end();
    if (!over) again(backOff(attempt++, Math.random()));
  };

  const again = (/** @type {number} */ waitMs) => {
    source?.close();
    clearTimeout(timer);
    if (!navigator.onLine) return listener.onLine({ state: "offline" });
    listener.onLine({ state: "waiting", untilMs: Date.now() + waitMs });
    timer = setTimeout(open, waitMs);
  };

  const look = () => { if (Date.now() - heardMs > SILENCE_MS && source?.readyState === EventSource.OPEN) open(); };
  const wake = () => { if (document.visibilityState === "visible" && Date.now() - heardMs > STALE_MS) open(); };
  const lost = () => { source?.close(); clearTimeout(timer); listener.onLine({ state: "offline" }); };

  const end = () => {
    if (over) return;
    over = true;
    source?.close();
    clearTimeout(timer);
    clearInterval(watch);
    removeEventListener("online", open);
    removeEventListener("offline", lost);
    document.removeEventListener("visibilitychange", wake);
    listener.onLine({ state: "done" });
  };

  const watch = setInterval(look, LOOK_EVERY_MS);
  addEventListener("online", open);
  addEventListener("offline", lost);
  document.addEventListener("visibilitychange", wake);
  open();
  return end;
}
