// @ts-check
/** The learner's active runs, each reduced separately, and those that wait for a person. Pure. */

import { askedSentence } from "../lib/server_words.js";
import { emptyActivity, reduce } from "./event_reducer.js";

/** @import { Activity, RunEvent } from "../types.d.ts" */
/** @typedef {Record<string, Activity>} ActiveRuns by the id of the root run */
/** @typedef {{ runId: string, rootId: string, question: string, at: string | null }} WaitingRun */

/**
 * The runs after one more event. A resync without a root concerns all of them.
 * @param {ActiveRuns} roots
 * @param {RunEvent} event
 * @returns {ActiveRuns}
 */
export function runsAfter(roots, event) {
  if (event.kind === "resync" && !event.rootId)
    return Object.fromEntries(Object.entries(roots).map(([id, state]) => [id, reduce(state, event)]));
  if (!event.rootId) return roots;
  const before = roots[event.rootId] ?? emptyActivity(event.rootId);
  const after = reduce(before, event);
  return after === before ? roots : { ...roots, [event.rootId]: after };
}

/** The runs that wait for a person, longest wait first. @param {ActiveRuns} roots @returns {WaitingRun[]} */
export const waitingRunsIn = (roots) =>
  Object.values(roots)
    .flatMap((root) =>
      Object.values(root.agents).flatMap(({ runId, asks }) =>
        asks ? [{ runId, rootId: root.rootId, question: askedSentence(asks), at: asks.at }] : [],
      ),
    )
    .sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
