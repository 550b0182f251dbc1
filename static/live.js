// @ts-check
/** One open path: its graph, its run as it goes or went, and what the learner can do with it. */

import { batch, computed, signal } from "@preact/signals";
import * as api from "./api.js";
import { msOf } from "./format.js";
import { conceptsOf, edgesAmong, emptyGraph, graphOf, seen } from "./graph.js";
import { placed } from "./layout.js";
import { quietly } from "./quiet.js";
import { setLine } from "./net.js";
import { emptyActivity, reduce } from "./state.js";
import { follow } from "./stream.js";

/** @import { Activity, GraphAnswer, Run, RunEvent } from "./types.d.ts" */
/** @import { Seen } from "./graph.js" */
/** @import { Places } from "./layout.js" */

/** @template T @typedef {import("@preact/signals").Signal<T>} Signal */

const OPEN_STATES = ["queued", "running", "waiting_on_human"];
const HALO_MS = 4000;
/** Nodes wait in the seed bed until no edge has come for this long: then their layer is known. */
const QUIET_MS = 450;
const LONGEST_QUIET_MS = 1800;

/** @param {Run | null} run */
export const isOpen = (run) => run !== null && OPEN_STATES.includes(run.state);

/** @typedef {ReturnType<typeof openPath>} Path */

/** Open a path and keep it up to date until `close`. @param {string} branchId */
export function openPath(branchId) {
  const answer = signal(/** @type {GraphAnswer | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  const run = signal(/** @type {Run | null} */ (null));
  const activity = signal(/** @type {Activity | null} */ (null));
  const expired = signal(false);
  const busy = signal(/** @type {"stopping" | "starting" | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const fresh = signal(/** @type {Set<string>} */ (new Set()));
  const rooted = signal(/** @type {Set<string>} */ (new Set()));
  const playhead = signal(/** @type {number | null} */ (null));
  const live = signal(false);

  /** @type {RunEvent[]} */
  let log = [];
  /** @type {Map<string, Places>} */
  const keptPlaces = new Map();
  let stopFollowing = () => {};
  let closed = false;

  const rootId = computed(() => answer.value?.nodes.find((node) => node.type === "root")?.id ?? null);
  const graph = computed(() => {
    if (live.value && activity.value) return activity.value.graph;
    return answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph();
  });
  const all = computed(() => seen(graph.value, answer.value?.progress ?? []));
  const replayed = computed(() => (playhead.value === null ? activity.value : replay(playhead.value)));
  const hidden = computed(() => notYet());
  const visible = computed(() => {
    const nodes = conceptsOf(all.value);
    return hidden.value.size ? nodes.filter((node) => !hidden.value.has(node.id)) : nodes;
  });

  async function load() {
    try {
      const found = await api.graph(branchId);
      if (closed) return;
      batch(() => {
        answer.value = found;
        problem.value = null;
        rooted.value = new Set(found.nodes.map((node) => node.id));
        if (found.runs[0]) watch(found.runs[0]);
      });
    } catch (error) {
      problem.value = /** @type {Error} */ (error);
    }
  }

  /** Follow a run from its first event; one that ended is replayed by the server and closes. @param {Run} next */
  function watch(next) {
    stopFollowing();
    log = [];
    cursor = { index: 0, state: null };
    const root = next.rootId ?? next.id;
    batch(() => {
      run.value = next;
      live.value = isOpen(next);
      expired.value = false;
      playhead.value = null;
      const base = live.value && answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph();
      activity.value = emptyActivity(root, base);
    });
    stopFollowing = follow((after) => api.eventsUrl(root, after), { onEvent: take, onLine: setLine, onRefused: () => stillThere(root) });
  }

  /** @type {RunEvent[]} */
  let queue = [];
  /** One repaint per frame, however many events came. @param {RunEvent} event */
  function take(event) {
    queue.push(event);
    if (queue.length > 1) return;
    if (document.visibilityState === "visible") requestAnimationFrame(flush);
    else setTimeout(flush, 200);
  }

  function flush() {
    const events = queue;
    queue = [];
    if (closed || !activity.value) return;
    let next = activity.value;
    for (const event of events) {
      if (event.kind === "resync") log = [];
      if (event.seq !== null && event.seq > next.lastSeq) log.push(event);
      next = reduce(next, event);
    }
    activity.value = next;
    if (live.value) new Set(events.map(levelOf)).forEach((level) => level && quiet.heard(level));
    if (events.some((event) => event.kind === "run_done")) ended();
    else if (live.value && run.value?.state === "queued" && next.startedAt) run.value = { ...run.value, state: "running" };
  }

  const quiet = quietly({ quietMs: QUIET_MS, longestMs: LONGEST_QUIET_MS, then: settle });

  /** The level that an event may have completed: the id of the node above it. @param {RunEvent} event */
  function levelOf(event) {
    if (event.kind === "node_created") return event.node.parentId;
    if (event.kind === "edge_created") return activity.value?.graph.nodes[event.edge.targetNodeId]?.parentId;
    if (event.kind === "agent_done" || event.kind === "agent_error") return activity.value?.agents[event.runId ?? ""]?.nodeId ?? rootId.value;
    return null;
  }

  /** The nodes of a level whose place is known now: they have an edge, or nobody works on the level any more. @param {string} level */
  function settle(level) {
    const now = [...all.value.values()].filter((node) => node.parentId === level && (node.needs.length || node.opens.length || !isBeingMade(node)));
    const born = now.filter((node) => !rooted.value.has(node.id)).map((node) => node.id);
    if (!born.length) return;
    batch(() => {
      rooted.value = new Set([...rooted.value, ...born]);
      fresh.value = new Set([...fresh.value, ...born]);
    });
    setTimeout(() => { fresh.value = new Set([...fresh.value].filter((id) => !born.includes(id))); }, HALO_MS);
  }

  /** Whether an agent is still at the level of this node. @param {Seen} node */
  function isBeingMade(node) {
    const agents = Object.values(activity.value?.agents ?? {});
    const maker = node.type === "concept" ? agents.find((agent) => agent.runId === activity.value?.rootId) : agents.find((agent) => agent.nodeId === node.parentId);
    return maker !== undefined && !maker.endedAt;
  }

  /** The run is over: what the server has is the truth now. */
  async function ended() {
    const done = activity.value;
    if (!live.value || !run.value || !done) return;
    run.value = { ...run.value, state: /** @type {any} */ (done.status), reason: done.reason, usage: done.usage, error: done.error, endedAt: done.endedAt };
    try {
      const found = await api.graph(branchId);
      if (closed || run.value?.id !== (found.runs[0]?.id ?? run.value?.id)) return;
      batch(() => {
        answer.value = found;
        if (found.runs[0]) run.value = found.runs[0];
        live.value = false;
        rooted.value = new Set(found.nodes.map((node) => node.id));
      });
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the streamed state stands until the next visit
    }
  }

  /** The stream was refused: go on trying unless the run, or its log, is gone. @param {string} root */
  async function stillThere(root) {
    try {
      const found = await api.run(root);
      if (!isOpen(found) && activity.value?.lastSeq === 0) expired.value = true;
      return isOpen(found) || activity.value?.lastSeq !== 0;
    } catch (error) {
      const gone = error instanceof api.ApiError && error.status === 404;
      if (gone) expired.value = true;
      return !gone;
    }
  }

  /** @type {{ index: number, state: Activity | null }} */
  let cursor = { index: 0, state: null };
  /** The run as it was at a moment. @param {number} atMs @returns {Activity | null} */
  function replay(atMs) {
    if (!activity.value) return null;
    const last = log[cursor.index - 1];
    if (!cursor.state || (last?.at && msOf(last.at) > atMs)) cursor = { index: 0, state: emptyActivity(activity.value.rootId) };
    while (cursor.index < log.length && msOf(log[cursor.index].at ?? "") <= atMs) {
      cursor.state = reduce(/** @type {Activity} */ (cursor.state), log[cursor.index]);
      cursor.index++;
    }
    return cursor.state;
  }

  /** Nodes that the run had not made yet at the playhead. @returns {Set<string>} */
  function notYet() {
    if (playhead.value === null || !activity.value) return new Set();
    const then = replayed.value?.graph.nodes ?? {};
    return new Set(Object.keys(activity.value.graph.nodes).filter((id) => !then[id] && log.some((event) => event.kind === "node_created" && event.node.id === id)));
  }

  /** Places of the rooted nodes of a level; given once, then kept. @param {string} level @param {Seen[]} nodes */
  function placesOf(level, nodes) {
    const standing = nodes.filter((node) => rooted.value.has(node.id));
    const places = placed(standing, edgesAmong(standing), keptPlaces.get(level));
    keptPlaces.set(level, places);
    return places;
  }

  async function stop() {
    if (!run.value) return;
    await act("stopping", async () => { await api.cancel(/** @type {Run} */ (run.value).id); });
  }

  /** @param {boolean} small */
  async function grow(small) {
    const root = rootId.value;
    if (!root) return;
    await act("starting", async () => { watch(await api.grow(root, small)); });
  }

  /** @param {"stopping" | "starting"} what @param {() => Promise<void>} job */
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

  function close() {
    closed = true;
    stopFollowing();
    quiet.stop();
  }

  load();
  return {
    branchId, answer, problem, run, activity, replayed, expired, busy, refusal, fresh, rooted, playhead, live, all, visible, hidden, rootId,
    load, placesOf, stop, grow, close,
  };
}
