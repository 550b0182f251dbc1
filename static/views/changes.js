// @ts-check
/** Changes of a concept: what was done, why, and the way back. */

import { useSignal } from "@preact/signals";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import * as learning from "../learning.js";
import { Icon } from "./icons.js";

/** @import { Change, EdgeEnds } from "../types.d.ts" */
/** @import { Seen } from "../graph.js" */

const AT_FIRST = 8;

/** Who fits a path to its learner; what others did is how it was made. */
const FITTERS = ["concept_refinement", "path_review"];

/** The changes that fitted the path, without those that are only the way back of others. @param {Change[]} changes */
export const shownOf = (changes) => changes.filter((change) => !change.undoes && FITTERS.includes(change.agent ?? ""));

/**
 * What has become of a change: undone, and brought back, and so on. `last` is what to undo next.
 * @param {Change} change @param {Change[]} changes @returns {{ last: string, isUndone: boolean }}
 */
export function standing(change, changes) {
  const byId = new Map(changes.map((each) => [each.id, each]));
  let isUndone = false;
  let last = change;
  for (let next = last.undoneBy; next; next = last.undoneBy) {
    isUndone = !isUndone;
    const after = byId.get(next);
    if (!after) return { last: next, isUndone }; // newer than what is listed
    last = after;
  }
  return { last: last.id, isUndone };
}

/** @param {{ changes: Change[], all: Map<string, Seen>, onUndone: () => unknown }} props */
export function Changes({ changes, all, onUndone }) {
  const every = useSignal(false);
  const busy = useSignal(/** @type {string | null} */ (null));
  const refusal = useSignal(/** @type {{ id: string, words: string } | null} */ (null));
  const listed = shownOf(changes);
  const titles = new Map([...all].map(([id, node]) => [id, node.title]));
  for (const change of changes) for (const node of [...change.before.nodes, ...change.after.nodes]) titles.set(node.id, node.title);

  const undo = async (/** @type {Change} */ change) => {
    if (busy.value) return;
    busy.value = change.id;
    refusal.value = null;
    try {
      await learning.undo(standing(change, changes).last);
      await onUndone();
    } catch (error) {
      refusal.value = { id: change.id, words: /** @type {Error} */ (error).message };
    } finally {
      busy.value = null;
    }
  };

  return html`<ul class="changes">${(every.value ? listed : listed.slice(0, AT_FIRST)).map((change) => ({ change, ...standing(change, changes) })).map(({ change, isUndone }) => html`<li key=${change.id} class=${isUndone ? "undone" : ""}>
      <div>${linesOf(change, titles).map((line) => html`<p class="change-what">${line}</p>`)}${change.reason && html`<p class="reason why">${change.reason}</p>`}
        ${refusal.value?.id === change.id && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal.value.words}</span></p>`}</div>
      <button class="btn sm" type="button" disabled=${busy.value !== null} aria-busy=${busy.value === change.id || undefined} onClick=${() => undo(change)}>${t(busy.value === change.id ? (isUndone ? "ch.redoing" : "ch.undoing") : isUndone ? "ch.redo" : "ch.undo")}</button>
    </li>`)}</ul>
    ${!every.value && listed.length > AT_FIRST && html`<button class="link" type="button" onClick=${() => { every.value = true; }}>${t("ch.more")}</button>`}`;
}

/** What a change did, in a line for each node; for each edge only where no node tells it. @param {Change} change @param {Map<string, string>} titles @returns {string[]} */
export function linesOf(change, titles) {
  const before = new Set(change.before.nodes.map((node) => node.id));
  const after = new Set(change.after.nodes.map((node) => node.id));
  const nodes = [
    ...change.after.nodes.map((node) => t(before.has(node.id) ? "ch.changed" : "ch.added", { title: node.title })),
    ...change.before.nodes.filter((node) => !after.has(node.id)).map((node) => t("ch.removed", { title: node.title })),
  ];
  if (nodes.length) return nodes;
  const ends = (/** @type {EdgeEnds} */ edge) => ({ source: titles.get(edge.sourceNodeId), target: titles.get(edge.targetNodeId) });
  return [
    ...change.after.edges.map((edge) => t("ch.joined", ends(edge))),
    ...change.before.edges.map((edge) => t("ch.parted", ends(edge))),
  ];
}
