// @ts-check
/** The tab's event stream: all active runs of the learner, whichever screen is open. */

import { computed, effect, signal, untracked } from "@preact/signals";
import * as api from "../net/api.js";
import { setConnection } from "../net/connection.js";
import { isSignedOut } from "../net/signed_out.js";
import { tabCursor } from "../net/cursors.js";
import { follow } from "../net/stream.js";
import { runsAfter, waitingRunsIn } from "./active_runs.js";
import { emptyActivity } from "./event_reducer.js";
import { graphAfter } from "./graph.js";

/** @import { Activity, Graph, RunEvent } from "../types.d.ts" */
/** @import { ActiveRuns } from "./active_runs.js" */
/**
 * @typedef {(events: RunEvent[], activity: Activity) => void} Listener gets a run's events since the last frame
 */

/** Time after which a subscribed run without events is requested by its id. */
const ASK_AFTER_MS = 700;
const HIDDEN_FRAME_MS = 200;

const roots = signal(/** @type {ActiveRuns} */ ({}));
/** Active runs by root; an ended one stays while a screen shows it. */
export const activeRuns = computed(() => roots.value);
/** @type {import("./active_runs.js").WaitingRun[]} */
let lastWaiting = [];
/** The runs that wait for the learner, longest first; the same list while nothing changed. */
export const waitingRuns = computed(() => {
  const now = waitingRunsIn(roots.value);
  if (
    now.length !== lastWaiting.length ||
    now.some((each, i) => each.runId !== lastWaiting[i].runId || each.at !== lastWaiting[i].at)
  )
    lastWaiting = now;
  return lastWaiting;
});
/** Number of reconnections: runs may have started and ended meanwhile. */
export const reconnections = signal(0);

/** Stored events of each root, for later subscribers. @type {Map<string, RunEvent[]>} */
const logs = new Map();
/** @type {Map<string, Set<Listener>>} */
const listeners = new Map();
/** @type {RunEvent[]} */
let queue = [];
let opened = false;
/** @type {ReturnType<typeof follow> | null} */
let stream = null;

/** Open the stream, once per page. */
export function openTabStream() {
  stream = follow(tabCursor(api.tabUrl, unheardRoots), {
    onEvent: enqueue,
    onRefused,
    onState(line) {
      if (line.state === "open" && opened) reconnections.value++;
      opened ||= line.state === "open";
      setConnection(line);
    },
  });
  effect(() => {
    if (isSignedOut.value) stream?.stop();
  });
}

/** Subscribed runs without events. */
const unheardRoots = () => [...listeners.keys()].filter((id) => !roots.value[id]?.lastSeq);

/** Batch events: one repaint per frame. @param {RunEvent} event */
function enqueue(event) {
  queue.push(event);
  if (queue.length > 1) return;
  if (document.visibilityState === "visible") requestAnimationFrame(flush);
  else setTimeout(flush, HIDDEN_FRAME_MS);
}

function flush() {
  const events = queue;
  queue = [];
  let next = roots.value;
  for (const event of events) {
    if (event.kind === "resync") event.rootId ? logs.delete(event.rootId) : logs.clear();
    const before = next;
    next = runsAfter(next, event);
    if (next !== before && event.seq !== null) logOf(/** @type {string} */ (event.rootId)).push(event);
  }
  roots.value = next;
  for (const [id, theirs] of listeners) {
    const own = events.filter((event) => event.rootId === id || !event.rootId);
    if (own.length) [...theirs].forEach((hear) => hear(own, next[id]));
  }
  events.forEach((event) => {
    if (event.kind === "run_done" && event.rootId) forget(event.rootId);
  });
}

/** @param {string} rootId */
function logOf(rootId) {
  const log = logs.get(rootId) ?? [];
  logs.set(rootId, log);
  return log;
}

/** Drop an ended run without subscribers. @param {string} rootId */
function forget(rootId) {
  if (!roots.value[rootId]?.status || listeners.has(rootId)) return;
  logs.delete(rootId);
  const { [rootId]: _, ...rest } = roots.value;
  roots.value = rest;
}

/**
 * Subscribe to a run from its start. Its nodes are added to `base`.
 * @param {string} rootId @param {Graph} base @param {Listener} hear @returns {() => void} unsubscribes
 */
export function subscribe(rootId, base, hear) {
  const theirs = listeners.get(rootId) ?? new Set();
  listeners.set(rootId, theirs.add(hear));
  const known = untracked(() => roots.value)[rootId] ?? emptyActivity(rootId);
  const log = logs.get(rootId) ?? [];
  const activity = { ...known, graph: log.reduce(graphAfter, base) };
  roots.value = { ...untracked(() => roots.value), [rootId]: activity };
  hear([...log], activity);
  const timer = setTimeout(() => {
    if (unheardRoots().includes(rootId)) stream?.reconnect();
  }, ASK_AFTER_MS);
  return () => {
    clearTimeout(timer);
    theirs.delete(hear);
    if (!theirs.size) listeners.delete(rootId);
    if (!roots.value[rootId]?.lastSeq) drop(rootId);
    forget(rootId);
  };
}

/** @param {string} rootId */
function drop(rootId) {
  const { [rootId]: _, ...rest } = roots.value;
  roots.value = rest;
}

/** How to go on after a refused stream. @param {string} url */
async function onRefused(url) {
  const waitMs = await api.retryAfterMs(url);
  if (isSignedOut.peek()) return { retry: false };
  return waitMs === null ? { retry: true } : { retry: true, waitMs };
}

/**
 * Call `job` each time that a run starts, waits, continues or ends.
 * @param {() => void} job
 * @returns {() => void}
 */
export function onRunChanges(job) {
  const turns = computed(() =>
    [
      reconnections.value,
      ...Object.values(roots.value).map((root) => `${root.rootId}${Boolean(root.startedAt)}${root.status}`),
      ...waitingRuns.value.map(({ runId }) => runId),
    ].join(),
  );
  let before = turns.peek();
  return effect(() => {
    if (turns.value === before) return;
    before = turns.value;
    untracked(job);
  });
}
