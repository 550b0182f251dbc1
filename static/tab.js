// @ts-check
/** The tab's one stream: what all runs of the learner do, whichever screen is open. */

import { computed, effect, signal, untracked } from "@preact/signals";
import * as api from "./api.js";
import { tabCursor } from "./cursors.js";
import { grown } from "./graph.js";
import { setLine } from "./net.js";
import { told, waitingIn } from "./roots.js";
import { emptyActivity } from "./state.js";
import { follow } from "./stream.js";

/** @import { Activity, Graph, RunEvent } from "./types.d.ts" */
/** @import { Roots } from "./roots.js" */
/** @typedef {(events: RunEvent[], activity: Activity) => void} Listener hears what came of one run since the last frame */

/** A run that is said to be going and does not show itself for this long is asked for by its name. */
const ASK_AFTER_MS = 700;
const HIDDEN_FRAME_MS = 200;

const roots = signal(/** @type {Roots} */ ({}));
/** Runs that are going, by root; one that has ended stays while a screen shows it. */
export const going = computed(() => roots.value);
/** @type {import("./roots.js").Waiting[]} */
let waited = [];
/** The runs that wait for the learner, the longest first; the same list as long as they are the same, for it is looked at in every frame. */
export const waiting = computed(() => {
  const now = waitingIn(roots.value);
  if (now.length !== waited.length || now.some((each, i) => each.runId !== waited[i].runId || each.at !== waited[i].at)) waited = now;
  return waited;
});
/** How often the line was opened again: what began and ended meanwhile was not told. */
export const comebacks = signal(0);

/** The kept events of each root, for who comes later. @type {Map<string, RunEvent[]>} */
const logs = new Map();
/** @type {Map<string, Set<Listener>>} */
const listeners = new Map();
/** @type {RunEvent[]} */
let queue = [];
let opened = false;
/** @type {ReturnType<typeof follow> | null} */
let stream = null;

/** Begin to listen; once per page. */
export function listen() {
  stream = follow(tabCursor(api.tabUrl, missed), { onEvent: take, onRefused: refused, onLine(line) {
    if (line.state === "open" && opened) comebacks.value++;
    opened ||= line.state === "open";
    setLine(line);
  } });
}

/** Watched runs of which nothing has come yet. */
const missed = () => [...listeners.keys()].filter((id) => !roots.value[id]?.lastSeq);

/** One repaint per frame, however many events came. @param {RunEvent} event */
function take(event) {
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
    next = told(next, event);
    if (next !== before && event.seq !== null) logOf(/** @type {string} */ (event.rootId)).push(event);
  }
  roots.value = next;
  for (const [id, theirs] of listeners) {
    const own = events.filter((event) => event.rootId === id || !event.rootId);
    if (own.length) [...theirs].forEach((hear) => hear(own, next[id]));
  }
  events.forEach((event) => { if (event.kind === "run_done" && event.rootId) forget(event.rootId); });
}

/** @param {string} rootId */
function logOf(rootId) {
  const log = logs.get(rootId) ?? [];
  logs.set(rootId, log);
  return log;
}

/** A run that has ended and that nobody watches is kept no longer. @param {string} rootId */
function forget(rootId) {
  if (!roots.value[rootId]?.status || listeners.has(rootId)) return;
  logs.delete(rootId);
  const { [rootId]: _, ...rest } = roots.value;
  roots.value = rest;
}

/**
 * Hear everything of a run from its start, and go on with it. What it makes grows upon `base`.
 * @param {string} rootId @param {Graph} base @param {Listener} hear @returns {() => void} stops listening
 */
export function watch(rootId, base, hear) {
  const theirs = listeners.get(rootId) ?? new Set();
  listeners.set(rootId, theirs.add(hear));
  const known = untracked(() => roots.value)[rootId] ?? emptyActivity(rootId);
  const log = logs.get(rootId) ?? [];
  const activity = { ...known, graph: log.reduce(grown, base) };
  roots.value = { ...untracked(() => roots.value), [rootId]: activity };
  hear([...log], activity);
  const timer = setTimeout(() => { if (missed().includes(rootId)) stream?.again(); }, ASK_AFTER_MS);
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

/** Why the stream was refused: too many of them, or something that passes. @param {string} url */
async function refused(url) {
  const waitMs = await api.tooMany(url);
  return waitMs === null ? { goOn: true } : { goOn: true, waitMs };
}

/** Do something each time that a run begins, begins to wait, goes on or ends. @param {() => void} job @returns {() => void} */
export function onTurns(job) {
  const turns = computed(() => [comebacks.value, ...Object.values(roots.value).map((root) => `${root.rootId}${Boolean(root.startedAt)}${root.status}`), ...waiting.value.map(({ runId }) => runId)].join());
  let before = turns.peek();
  return effect(() => {
    if (turns.value === before) return;
    before = turns.value;
    untracked(job);
  });
}
