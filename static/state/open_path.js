// @ts-check
/** State of an open path: its graph, its run, and the learner's actions. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { placeNodes, samePlaces } from "../layout/placement.js";
import { debounce } from "../lib/debounce.js";
import { memo } from "../lib/memo.js";
import { conceptAgentsOf } from "../lib/node_status.js";
import * as api from "../net/api.js";
import { conceptsOf, edgesAmong, emptyGraph, graphOf, graphNodes } from "./graph.js";
import { isActive, runView } from "./run_view.js";
import { reconnections, activeRuns } from "./tab_stream.js";

/** @import { GraphAnswer, Run, RunEvent } from "../types.d.ts" */
/** @import { GraphNode } from "./graph.js" */
/** @import { Places } from "../layout/measures.js" */

/** @template T @typedef {import("@preact/signals").Signal<T>} Signal */

const HALO_MS = 4000;
/** Nodes wait in the seed bed until no edge has come for this long. */
const QUIET_MS = 450;
const LONGEST_QUIET_MS = 1800;
const SAVE_MS = 800;

/** A path shows the runs that grow or change it; lessons and checks of questions are shown elsewhere. */
const OF_PATH = ["topic", "concept"],
  ELSEWHERE = ["conversation", "grading", "key_check", "review", "variants"];
/**
 * The run that a path shows: its own active one, else the newest that was not discarded.
 * @param {GraphAnswer} answer
 */
const runToShow = (answer) => {
  const kept = answer.runs.filter((run) => !run.discarded && !ELSEWHERE.includes(kindOf(run)));
  const own = kept.find((run) => OF_PATH.includes(kindOf(run))) ?? null;
  return isActive(own) ? own : (kept[0] ?? null);
};
/** @param {Run} run */
const kindOf = (run) => run.lane.split(":")[0];

/** @typedef {ReturnType<typeof openPath>} OpenPath */

/** Open a path and keep it up to date until `close`. @param {string} branchId */
export function openPath(branchId) {
  const answer = signal(/** @type {GraphAnswer | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  const fresh = signal(/** @type {Set<string>} */ (new Set()));
  const placedIds = signal(/** @type {Set<string>} */ (new Set()));
  const shown = runView({ onNews: onEvents, onEnd: onRunEnd });
  const { run, activity, live, playhead } = shown;
  /** @type {Map<string, Places>} */
  const keptPlaces = new Map();
  let closed = false;

  const rootId = computed(() => answer.value?.nodes.find((node) => node.type === "root")?.id ?? null);
  const graph = computed(() => {
    if (live.value && activity.value) return activity.value.graph;
    return answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph();
  });
  const all = computed(() => {
    const { progress = [], minutes, lessons, due } = answer.value ?? {};
    return graphNodes(graph.value, progress, minutes, lessons, due);
  });
  const hidden = computed(shown.notYetCreated);
  /** Agents of concepts; once the run has ended, those that have failed. */
  const makers = memo(() => {
    const agents = playhead.value === null ? conceptAgentsOf(activity.value) : [];
    return isActive(run.value) ? agents : agents.filter(({ state }) => state === "failed");
  });
  const visible = computed(() => {
    const nodes = conceptsOf(all.value);
    return hidden.value.size ? nodes.filter((node) => !hidden.value.has(node.id)) : nodes;
  });

  async function load() {
    try {
      adopt(await api.graph(branchId));
    } catch (error) {
      problem.value = /** @type {Error} */ (error);
    }
  }

  /** @param {GraphAnswer} found */
  function adopt(found) {
    if (closed) return;
    const newest = runToShow(found);
    batch(() => {
      answer.value = found;
      problem.value = null;
      placedIds.value = new Set(found.nodes.map((node) => node.id));
      if (newest) showRun(newest);
      else shown.clear();
    });
  }

  /** Load the path again without touching the run that is shown. */
  async function refresh() {
    const found = await api.graph(branchId);
    if (closed) return;
    batch(() => {
      answer.value = found;
      placedIds.value = new Set(found.nodes.map((node) => node.id));
    });
  }

  /** Check for a newer run, started elsewhere or while disconnected. */
  async function checkForNewerRun() {
    try {
      const found = await api.graph(branchId);
      if (runToShow(found)?.id !== run.value?.id) adopt(found);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the next reconnection checks again
    }
  }

  /** Runs of this path, started elsewhere, that have been loaded. @type {Set<string>} */
  const sought = new Set();
  let comeback = reconnections.peek();
  const stopChecking = effect(() => {
    const other = Object.values(activeRuns.value).find(
      (root) =>
        root.lane === `topic:${rootId.value}` &&
        !root.status &&
        root.rootId !== run.value?.rootId &&
        !sought.has(root.rootId),
    );
    const back = reconnections.value !== comeback;
    comeback = reconnections.value;
    if (live.value || !(other || back)) return;
    if (other) sought.add(other.rootId);
    untracked(checkForNewerRun);
  });

  /** Show a run, over the graph that was loaded. @param {Run} next */
  const showRun = (next) =>
    shown.show(next, answer.value ? graphOf(answer.value.nodes, answer.value.edges) : emptyGraph());

  /** @param {RunEvent[]} events */
  function onEvents(events) {
    if (!closed && live.value) new Set(events.map(levelOf)).forEach((level) => level && settling.call(level));
  }

  const settling = debounce({ quietMs: QUIET_MS, longestMs: LONGEST_QUIET_MS, then: placeLevel });

  /** The level that an event may complete: its parent's id. @param {RunEvent} event */
  function levelOf(event) {
    if (event.kind === "node_created") return event.node.parentId;
    if (event.kind === "edge_created") return activity.value?.graph.nodes[event.edge.targetNodeId]?.parentId;
    if (event.kind === "agent_done" || event.kind === "agent_error")
      return activity.value?.agents[event.runId ?? ""]?.nodeId ?? rootId.value;
    return null;
  }

  /**
   * Place the nodes of a level that have an edge, or whose agent has ended.
   * @param {string} level
   */
  function placeLevel(level) {
    const now = [...all.value.values()].filter(
      (node) => node.parentId === level && (node.needs.length || node.opens.length || !isStillGrowing(node)),
    );
    const born = now.filter((node) => !placedIds.value.has(node.id)).map((node) => node.id);
    if (!born.length) return;
    batch(() => {
      placedIds.value = new Set([...placedIds.value, ...born]);
      fresh.value = new Set([...fresh.value, ...born]);
    });
    setTimeout(() => {
      fresh.value = new Set([...fresh.value].filter((id) => !born.includes(id)));
    }, HALO_MS);
  }

  /** Whether an agent still works on this node's level. @param {GraphNode} node */
  function isStillGrowing(node) {
    const agents = Object.values(activity.value?.agents ?? {});
    const maker =
      node.type === "concept"
        ? agents.find((agent) => agent.runId === activity.value?.rootId)
        : agents.find((agent) => agent.nodeId === node.parentId);
    return maker !== undefined && !maker.endedAt;
  }

  /** The run has ended: load the server's state. */
  async function onRunEnd() {
    const over = run.value?.id;
    try {
      const found = await api.graph(branchId);
      const newest = runToShow(found);
      if (closed || run.value?.id !== over) return;
      if (newest?.id !== over) return adopt(found); // the next one has started, or this one was discarded
      batch(() => {
        answer.value = found;
        if (newest) shown.adopt(newest);
        live.value = false;
        placedIds.value = new Set(found.nodes.map((node) => node.id));
      });
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the streamed state stays until the next visit
    }
  }

  /** Places of a level's placed nodes; once given they are kept. @param {string} level @param {GraphNode[]} nodes */
  function placesOf(level, nodes) {
    const standing = nodes.filter((node) => placedIds.value.has(node.id));
    const kept = keptPlaces.get(level);
    const places = placeNodes(standing, edgesAmong(standing), kept ?? storedPlaces(standing));
    if (kept && samePlaces(kept, places)) return kept; // the same object: the map is not drawn again
    keptPlaces.set(level, places);
    storing.call(level);
    return places;
  }

  /** Where the nodes stood when the path was last seen. @param {GraphNode[]} nodes @returns {Places} */
  function storedPlaces(nodes) {
    const stored = answer.value?.places ?? {};
    return new Map(nodes.flatMap(({ id }) => (stored[id] ? [[id, stored[id]]] : [])));
  }

  const storing = debounce({ quietMs: SAVE_MS, longestMs: SAVE_MS, then: storePlaces });

  /** Store the places of a level that are new, with the path. @param {string} level */
  async function storePlaces(level) {
    const stored = answer.value?.places ?? {};
    const moved = [...(keptPlaces.get(level) ?? [])].filter(
      ([id, { x, layer }]) => stored[id]?.x !== x || stored[id]?.layer !== layer,
    );
    if (!moved.length || closed) return;
    try {
      await api.keepPlaces(branchId, Object.fromEntries(moved));
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the next visit stores them
    }
  }

  /** @param {boolean} small */
  async function grow(small) {
    const root = rootId.value;
    if (root)
      await shown.act("starting", async () => {
        showRun(await api.grow(root, small));
      });
  }

  function close() {
    closed = true;
    stopChecking();
    shown.close();
    settling.stop();
    storing.stop();
  }

  load();
  return {
    ...shown,
    branchId,
    answer,
    problem,
    fresh,
    placedIds,
    makers,
    all,
    visible,
    hidden,
    rootId,
    load,
    refresh,
    placesOf,
    grow,
    close,
    showRun,
    isBare: () => !visible.value.length && playhead.value === null,
    documents: () => answer.value?.documents ?? [],
    title: computed(() => answer.value?.branch.title ?? ""),
    /** Number of visible subconcepts of a concept. @param {string | null} nodeId */
    partCount: (nodeId) => all.value.get(nodeId ?? "")?.parts.filter((id) => !hidden.value.has(id)).length ?? 0,
  };
}
