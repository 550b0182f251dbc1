// @ts-check
/** View of one run: its row, its activity, a replayed moment, and the actions on it. */

import { batch, computed, signal } from "@preact/signals";
import { parseMs } from "../lib/format.js";
import { memo } from "../lib/memo.js";
import * as api from "../net/api.js";
import { runCursor } from "../net/cursors.js";
import { follow } from "../net/stream.js";
import { emptyActivity, reduce, runAfter } from "./event_reducer.js";
import { emptyGraph } from "./graph.js";
import { subscribe } from "./tab_stream.js";

/** @import { Activity, Graph, Run, RunEvent } from "../types.d.ts" */
/** @typedef {"stopping" | "starting" | "resuming" | "discarding"} PendingAction */
/** @typedef {ReturnType<typeof runView>} RunView */

const ACTIVE_STATES = ["queued", "running", "waiting_on_human"];

/** @param {Run | null} run */
export const isActive = (run) => run !== null && ACTIVE_STATES.includes(run.state);

/**
 * @param {{ onNews?: (events: RunEvent[]) => void, onEnd?: () => void }} [telling] `onEnd`: the active run has ended;
 *   the caller then sets `live` to false
 */
export function runView({ onNews, onEnd } = {}) {
  const run = signal(/** @type {Run | null} */ (null));
  const activity = signal(/** @type {Activity | null} */ (null));
  const live = signal(false);
  const expired = signal(false);
  const busy = signal(/** @type {PendingAction | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const playhead = signal(/** @type {number | null} */ (null));

  /** @type {RunEvent[]} */
  let log = [];
  let unsubscribe = () => {};
  let isOver = true;
  const replayed = computed(() => (playhead.value === null ? activity.value : replay(playhead.value)));
  /** This run and those below it that wait for the learner. */
  const asking = memo(() =>
    Object.values(activity.value?.agents ?? {})
      .filter((agent) => agent.asks && (run.value?.id === activity.value?.rootId || run.value?.id === agent.runId))
      .map((agent) => agent.runId),
  );

  /**
   * Show a run from its first event. An active run's nodes are added to `base`.
   * @param {Run} next
   * @param {Graph} [base]
   */
  function show(next, base = emptyGraph()) {
    unsubscribe();
    log = [];
    replayCache = { index: 0, state: null };
    const root = next.rootId ?? next.id;
    batch(() => {
      run.value = next;
      live.value = isActive(next);
      expired.value = false;
      refusal.value = null;
      playhead.value = null;
      activity.value = emptyActivity(root, live.value ? base : emptyGraph());
    });
    isOver = !live.value;
    if (live.value) unsubscribe = subscribe(root, base, onEvents);
    else
      unsubscribe = follow(
        runCursor((after) => api.eventsUrl(root, after)),
        { onEvent: queueReplayed, onState: () => {}, onRefused: () => checkLogIsKept(root) },
      ).stop;
  }

  /** Show no run. */
  function clear() {
    unsubscribe();
    batch(() => {
      run.value = null;
      activity.value = null;
      live.value = false;
      expired.value = false;
      playhead.value = null;
    });
  }

  /** @param {RunEvent[]} events @param {Activity} next */
  function onEvents(events, next) {
    for (const event of events) {
      if (event.kind === "resync") log = [];
      if (event.seq !== null && event.seq > (log.at(-1)?.seq ?? 0)) log.push(event);
    }
    batch(() => {
      activity.value = next;
      if (run.value) run.value = runAfter(run.value, next);
    });
    onNews?.(events);
    if (!isOver && !isActive(run.value)) finish();
  }

  /** @type {RunEvent[]} */
  let queue = [];
  /** Collect events of an ended run, one batch per frame. @param {RunEvent} event */
  function queueReplayed(event) {
    queue.push(event);
    if (queue.length === 1) setTimeout(flush, 16);
  }

  function flush() {
    const events = queue;
    queue = [];
    if (activity.value) onEvents(events, events.reduce(reduce, activity.value));
  }

  function finish() {
    isOver = true;
    if (onEnd) onEnd();
    else live.value = false;
  }

  /**
   * The stream of an ended run was refused: find out whether its log has expired.
   * @param {string} root
   */
  async function checkLogIsKept(root) {
    try {
      await api.run(root);
      expired.value = activity.value?.lastSeq === 0;
    } catch (error) {
      expired.value = error instanceof api.ApiError && error.status === 404;
      return { retry: !expired.value };
    }
    return { retry: !expired.value };
  }

  /** @type {{ index: number, state: Activity | null }} */
  let replayCache = { index: 0, state: null };
  /** The run at a moment. @param {number} atMs @returns {Activity | null} */
  function replay(atMs) {
    if (!activity.value) return null;
    const last = log[replayCache.index - 1];
    if (!replayCache.state || (last?.at && parseMs(last.at) > atMs))
      replayCache = { index: 0, state: emptyActivity(activity.value.rootId) };
    while (replayCache.index < log.length && parseMs(log[replayCache.index].at ?? "") <= atMs) {
      replayCache.state = reduce(/** @type {Activity} */ (replayCache.state), log[replayCache.index]);
      replayCache.index++;
    }
    return replayCache.state;
  }

  /** Nodes that the run had not created yet at the playhead. @returns {Set<string>} */
  function notYetCreated() {
    if (playhead.value === null || !activity.value) return new Set();
    const then = replayed.value?.graph.nodes ?? {};
    return new Set(
      log.flatMap((event) => (event.kind === "node_created" && !then[event.node.id] ? [event.node.id] : [])),
    );
  }

  /** Take over a row from the server; an ended run is shown as such at once. @param {Run} row */
  function adopt(row) {
    if (row.id !== run.value?.id) return;
    run.value = { ...run.value, ...row };
    if (!isOver && !isActive(row)) finish();
  }

  async function stop() {
    const id = run.value?.id;
    if (id)
      await act("stopping", async () => {
        adopt(await api.cancel(id));
      });
  }

  /**
   * Perform an action; a refusal is kept as a message.
   * @param {PendingAction} what
   * @param {() => Promise<void>} job
   */
  async function act(what, job) {
    batch(() => {
      busy.value = what;
      refusal.value = null;
    });
    try {
      await job();
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = null;
    }
  }

  return {
    run,
    activity,
    live,
    expired,
    busy,
    refusal,
    playhead,
    replayed,
    asking,
    show,
    clear,
    adopt,
    act,
    stop,
    notYetCreated,
    close: () => unsubscribe(),
  };
}
