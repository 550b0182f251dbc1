// @ts-check
/** One run as a screen shows it: its row, what it has done, a moment of it, and what a person can ask of it. */

import { batch, computed, signal } from "@preact/signals";
import * as api from "./api.js";
import { runCursor } from "./cursors.js";
import { msOf } from "./format.js";
import { emptyGraph } from "./graph.js";
import { emptyActivity, reduce, rowAfter } from "./state.js";
import { steady } from "./steady.js";
import { follow } from "./stream.js";
import { watch } from "./tab.js";

/** @import { Activity, Graph, Run, RunEvent } from "./types.d.ts" */
/** @typedef {"stopping" | "starting" | "resuming" | "discarding"} Busy */
/** @typedef {ReturnType<typeof shownRun>} ShownRun */

const OPEN_STATES = ["queued", "running", "waiting_on_human"];

/** @param {Run | null} run */
export const isOpen = (run) => run !== null && OPEN_STATES.includes(run.state);

/** @param {{ onNews?: (events: RunEvent[]) => void, onEnd?: () => void }} [telling] `onEnd`: the run that was going is over; `live` is then the caller's to end */
export function shownRun({ onNews, onEnd } = {}) {
  const run = signal(/** @type {Run | null} */ (null));
  const activity = signal(/** @type {Activity | null} */ (null));
  const live = signal(false);
  const expired = signal(false);
  const busy = signal(/** @type {Busy | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const playhead = signal(/** @type {number | null} */ (null));

  /** @type {RunEvent[]} */
  let log = [];
  let leave = () => {};
  let isOver = true;
  const replayed = computed(() => (playhead.value === null ? activity.value : replay(playhead.value)));
  /** The runs below this one, or itself, that wait for the learner. */
  const asking = steady(() => Object.values(activity.value?.agents ?? {})
    .filter((agent) => agent.asks && (run.value?.id === activity.value?.rootId || run.value?.id === agent.runId)).map((agent) => agent.runId));

  /** Show a run from its first event on. What a run that is going makes grows upon `base`. @param {Run} next @param {Graph} [base] */
  function show(next, base = emptyGraph()) {
    leave();
    log = [];
    moment = { index: 0, state: null };
    const root = next.rootId ?? next.id;
    batch(() => {
      run.value = next;
      live.value = isOpen(next);
      expired.value = false;
      refusal.value = null;
      playhead.value = null;
      activity.value = emptyActivity(root, live.value ? base : emptyGraph());
    });
    isOver = !live.value;
    if (live.value) leave = watch(root, base, hear);
    else leave = follow(runCursor((after) => api.eventsUrl(root, after)), { onEvent: replayedEvent, onLine: () => {}, onRefused: () => stillThere(root) }).stop;
  }

  /** Show no run. */
  function clear() {
    leave();
    batch(() => { run.value = null; activity.value = null; live.value = false; expired.value = false; playhead.value = null; });
  }

  /** @param {RunEvent[]} events @param {Activity} next */
  function hear(events, next) {
    for (const event of events) {
      if (event.kind === "resync") log = [];
      if (event.seq !== null && event.seq > (log.at(-1)?.seq ?? 0)) log.push(event);
    }
    batch(() => {
      activity.value = next;
      if (run.value) run.value = rowAfter(run.value, next);
    });
    onNews?.(events);
    if (!isOver && !isOpen(run.value)) end();
  }

  /** @type {RunEvent[]} */
  let queue = [];
  /** Events of a run that is over, a frame's worth at once. @param {RunEvent} event */
  function replayedEvent(event) {
    queue.push(event);
    if (queue.length === 1) setTimeout(flush, 16);
  }

  function flush() {
    const events = queue;
    queue = [];
    if (activity.value) hear(events, events.reduce(reduce, activity.value));
  }

  function end() {
    isOver = true;
    if (onEnd) onEnd();
    else live.value = false;
  }

  /** The stream of a run that is over was refused: its log is no longer kept, or the server is away. @param {string} root */
  async function stillThere(root) {
    try {
      await api.run(root);
      expired.value = activity.value?.lastSeq === 0;
    } catch (error) {
      expired.value = error instanceof api.ApiError && error.status === 404;
      return { goOn: !expired.value };
    }
    return { goOn: !expired.value };
  }

  /** @type {{ index: number, state: Activity | null }} */
  let moment = { index: 0, state: null };
  /** The run as it was at a moment. @param {number} atMs @returns {Activity | null} */
  function replay(atMs) {
    if (!activity.value) return null;
    const last = log[moment.index - 1];
    if (!moment.state || (last?.at && msOf(last.at) > atMs)) moment = { index: 0, state: emptyActivity(activity.value.rootId) };
    while (moment.index < log.length && msOf(log[moment.index].at ?? "") <= atMs) {
      moment.state = reduce(/** @type {Activity} */ (moment.state), log[moment.index]);
      moment.index++;
    }
    return moment.state;
  }

  /** Nodes that the run had not made yet at the playhead. @returns {Set<string>} */
  function notYet() {
    if (playhead.value === null || !activity.value) return new Set();
    const then = replayed.value?.graph.nodes ?? {};
    return new Set(log.flatMap((event) => (event.kind === "node_created" && !then[event.node.id] ? [event.node.id] : [])));
  }

  /** Take the row that the server answered with; one that has ended is shown so at once. @param {Run} row */
  function adopt(row) {
    if (row.id !== run.value?.id) return;
    run.value = { ...run.value, ...row };
    if (!isOver && !isOpen(row)) end();
  }

  async function stop() {
    const id = run.value?.id;
    if (id) await act("stopping", async () => { adopt(await api.cancel(id)); });
  }

  /** Do what was asked for; a refusal is kept as a sentence. @param {Busy} what @param {() => Promise<void>} job */
  async function act(what, job) {
    batch(() => { busy.value = what; refusal.value = null; });
    try {
      await job();
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = null;
    }
  }

  return { run, activity, live, expired, busy, refusal, playhead, replayed, asking, show, clear, adopt, act, stop, notYet, close: () => leave() };
}
