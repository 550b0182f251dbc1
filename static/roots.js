// @ts-check
/** All runs of the learner that are going, each reduced by itself; and which of them wait for a person. Pure. */

import { emptyActivity, reduce } from "./state.js";

/** @import { Activity, RunEvent } from "./types.d.ts" */
/** @typedef {Record<string, Activity>} Roots by the id of the root run */
/** @typedef {{ runId: string, rootId: string, question: string, at: string | null }} Waiting */

/** The runs after one more event of the tab's stream. A resync without a root means all of them. @param {Roots} roots @param {RunEvent} event @returns {Roots} */
export function told(roots, event) {
  if (event.kind === "resync" && !event.rootId) return Object.fromEntries(Object.entries(roots).map(([id, state]) => [id, reduce(state, event)]));
  if (!event.rootId) return roots;
  const before = roots[event.rootId] ?? emptyActivity(event.rootId);
  const after = reduce(before, event);
  return after === before ? roots : { ...roots, [event.rootId]: after };
}

/** The runs that wait for a person, the longest first. @param {Roots} roots @returns {Waiting[]} */
export const waitingIn = (roots) => Object.values(roots)
  .flatMap((root) => Object.values(root.agents).flatMap(({ runId, asks }) => (asks ? [{ runId, rootId: root.rootId, question: asks.question, at: asks.at }] : [])))
  .sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
