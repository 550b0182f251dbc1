// @ts-check
/** One open path: its graph, its run as it goes or went, and what the learner can do with it. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import * as api from "./api.js";
import { conceptsOf, edgesAmong, emptyGraph, graphOf, seen } from "./graph.js";
import { placed, samePlaces } from "./layout.js";
import { quietly } from "./quiet.js";
import { isOpen, shownRun } from "./shown.js";
import { steady } from "./steady.js";
import { comebacks, going } from "./tab.js";
import { makersOf } from "./words.js";

/** @import { GraphAnswer, Run, RunEvent } from "./types.d.ts" */
/** @import { Seen } from "./graph.js" */
/** @import { Places } from "./layout.js" */

/** @template T @typedef {import("@preact/signals").Signal<T>} Signal */

const HALO_MS = 4000;
/** Nodes wait in the seed bed until no edge has come for this long: then their layer is known. */
const QUIET_MS = 450;
const LONGEST_QUIET_MS = 1800;

/** Lessons have screens of their own, and so has what looks questions over: a path shows what makes or changes it. */
const OF_PATH = ["topic", "concept"], ELSEWHERE = ["conversation", "grading", "key_check", "review"];
/** The run that a path shows: the newest that was not discarded, of agents that were added too, unless one of the path's own is going. @param {GraphAnswer} answer */
const latest = (answer) => {
  const kept = answer.runs.filter((run) => !run.discarded && !ELSEWHERE.includes(kindOf(run)));
  const own = kept.find((run) => OF_PATH.includes(kindOf(run))) ?? null;
  return isOpen(own) ? own : kept[0] ?? null;
};
/** @param {Run} run */
const kindOf = (run) => run.lane.split(":")[0];

/** @typedef {ReturnType<typeof openPath>} Path */

/** Open a path and keep it up to date until `close`. @param {string} branchId */
export function openPath(branchId) {
  const answer = signal(/** @type {GraphAnswer | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  const fresh = signal(/** @type {Set<string>} */ (new Set()));
  const rooted = signal(/** @type {Set<string>} */ (new Set()));
  const shown = shownRun({ onNews: hear, onEnd: ended });
  const { run, activity, live, playhead } = shown;
  /** @type {Map<string, Places>} */
  const keptPlaces = new Map();
  let closed = false;

  const rootId = computed(() => answer.value?.nodes.find((node) => node.type === "root")?.id ?? null);
  const graph = computed(() => {
    if (live.value && activity.value) return activity.value.graph;
    return answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph();
  });
  const all = computed(() => seen(graph.value, answer.value?.progress ?? []));
  const hidden = computed(shown.notYet);
  const makers = steady(() => (playhead.value === null && isOpen(run.value) ? makersOf(activity.value) : []));
  const visible = computed(() => {
    const nodes = conceptsOf(all.value);
    return hidden.value.size ? nodes.filter((node) => !hidden.value.has(node.id)) : nodes;
  });

  async function load() {
    try {
      take(await api.graph(branchId));
    } catch (error) {
      problem.value = /** @type {Error} */ (error);
    }
  }

  /** @param {GraphAnswer} found */
  function take(found) {
    if (closed) return;
    const newest = latest(found);
    batch(() => {
      answer.value = found;
      problem.value = null;
      rooted.value = new Set(found.nodes.map((node) => node.id));
      if (newest) watch(newest);
      else shown.clear();
    });
  }

  /** Take what the server has of the path, and leave its run as it is shown. */
  async function refresh() {
    const found = await api.graph(branchId);
    if (closed) return;
    batch(() => {
      answer.value = found;
      rooted.value = new Set(found.nodes.map((node) => node.id));
    });
  }

  /** Look whether another run is the newest by now: one that began elsewhere, or was told to nobody. */
  async function look() {
    try {
      const found = await api.graph(branchId);
      if (latest(found)?.id !== run.value?.id) take(found);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the next comeback looks again
    }
  }

  /** Runs of this path, begun elsewhere, for which the server has been asked. @type {Set<string>} */
  const sought = new Set();
  let comeback = comebacks.peek();
  const unlook = effect(() => {
    const other = Object.values(going.value).find((root) => root.lane === `topic:${rootId.value}` && !root.status && root.rootId !== run.value?.rootId && !sought.has(root.rootId));
    const back = comebacks.value !== comeback;
    comeback = comebacks.value;
    if (live.value || !(other || back)) return;
    if (other) sought.add(other.rootId);
    untracked(look);
  });

  /** Show a run; what it makes while it goes grows upon the graph as the server has it. @param {Run} next */
  const watch = (next) => shown.show(next, answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph());

  /** @param {RunEvent[]} events */
  function hear(events) {
    if (!closed && live.value) new Set(events.map(levelOf)).forEach((level) => level && quiet.heard(level));
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
    const over = run.value?.id;
    try {
      const found = await api.graph(branchId);
      const newest = latest(found);
      if (closed || run.value?.id !== over) return;
      if (newest?.id !== over) return take(found); // the next one has begun, or this one was discarded
      batch(() => {
        answer.value = found;
        if (newest) shown.adopt(newest);
        live.value = false;
        rooted.value = new Set(found.nodes.map((node) => node.id));
      });
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the streamed state stands until the next visit
    }
  }

  /** Places of the rooted nodes of a level; given once, then kept. @param {string} level @param {Seen[]} nodes */
  function placesOf(level, nodes) {
    const standing = nodes.filter((node) => rooted.value.has(node.id));
    const kept = keptPlaces.get(level);
    const places = placed(standing, edgesAmong(standing), kept);
    if (kept && samePlaces(kept, places)) return kept; // the same map is drawn without being looked at again
    keptPlaces.set(level, places);
    return places;
  }

  /** @param {boolean} small */
  async function grow(small) {
    const root = rootId.value;
    if (root) await shown.act("starting", async () => { watch(await api.grow(root, small)); });
  }

  function close() {
    closed = true;
    unlook();
    shown.close();
    quiet.stop();
  }

  load();
  return {
    ...shown, branchId, answer, problem, fresh, rooted, makers, all, visible, hidden, rootId, load, refresh, placesOf, grow, close, watch,
    isBare: () => !visible.value.length && playhead.value === null,
    documents: () => answer.value?.documents ?? [],
    title: computed(() => answer.value?.branch.title ?? ""),
    /** How many subconcepts of a concept are in sight. @param {string | null} nodeId */
    partCount: (nodeId) => all.value.get(nodeId ?? "")?.parts.filter((id) => !hidden.value.has(id)).length ?? 0,
  };
}
