// @ts-check
/** List of changes, each with its reason and an undo. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import * as teachingApi from "../../net/teaching_api.js";
import { Icon } from "./icons.js";

/** @import { Change, EdgeEnds } from "../../types.d.ts" */
/** @import { GraphNode } from "../../state/graph.js" */
/** @import { RemovedNode } from "../../layout/measures.js" */

const AT_FIRST = 8;
const ALL = "all";

/** Agent that removes nodes; the server ensures that the learner knows them. */
const REFINER = "concept_refinement";
/** Agents that adapt a path to its learner; the others build it. */
const FITTERS = [REFINER, "path_review"];

/** The changes that adapted the path, without undos. @param {Change[]} changes */
export const adaptationsIn = (changes) =>
  changes.filter((change) => !change.undoes && FITTERS.includes(change.agent ?? ""));

/**
 * Whether a change is undone now. `last` is the change to undo next.
 * @param {Change} change @param {Change[]} changes @returns {{ last: string, isUndone: boolean }}
 */
export function undoState(change, changes) {
  const byId = new Map(changes.map((each) => [each.id, each]));
  let isUndone = false;
  let last = change;
  for (let next = last.undoneBy; next; next = last.undoneBy) {
    isUndone = !isUndone;
    const after = byId.get(next);
    if (!after) return { last: next, isUndone }; // newer than the list
    last = after;
  }
  return { last: last.id, isUndone };
}

/**
 * The changes in effect that adapted the path, each with what to undo, in undo order: newest first.
 * @param {Change[]} changes
 */
export function undoable(changes) {
  const age = new Map(changes.map((change, i) => [change.id, i]));
  return adaptationsIn(changes)
    .map((change) => ({ change, ...undoState(change, changes) }))
    .filter((each) => !each.isUndone)
    .sort((a, b) => (age.get(a.last) ?? -1) - (age.get(b.last) ?? -1));
}

/**
 * The nodes that were removed because the learner knows them, with their former edges.
 * @param {Change[]} changes
 * @param {Map<string, unknown>} all the nodes that are there
 * @returns {RemovedNode[]}
 */
export const removedNodesOf = (changes, all) =>
  undoable(changes)
    .filter(({ change }) => change.agent === REFINER)
    .flatMap(({ change }) =>
      change.before.nodes
        .filter((node) => !all.has(node.id))
        .map(({ id, title }) => ({
          id,
          title,
          pairs: change.before.edges.map(
            (edge) => /** @type {[string, string]} */ ([edge.sourceNodeId, edge.targetNodeId]),
          ),
        })),
    );

/** The label of a change's button. @param {boolean} isUndone @param {boolean} isBusy */
function buttonLabel(isUndone, isBusy) {
  if (isUndone) return isBusy ? "ch.redoing" : "ch.redo";
  return isBusy ? "ch.undoing" : "ch.undo";
}

/**
 * @param {{ changes: Change[], all: Map<string, GraphNode>, onUndone: () => unknown, head?: any }} props `head`: shown
 *   beside the button that undoes all
 */
export function Changes({ changes, all, onUndone, head }) {
  const every = useSignal(false);
  const busy = useSignal(/** @type {string | null} */ (null));
  const refusal = useSignal(/** @type {{ id: string, words: string } | null} */ (null));
  const said = useSignal("");
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const wasBusy = useRef(false);
  const listed = adaptationsIn(changes);
  const standingNow = undoable(changes);
  const titles = new Map([...all].map(([id, node]) => [id, node.title]));
  for (const change of changes)
    for (const node of [...change.before.nodes, ...change.after.nodes]) titles.set(node.id, node.title);
  useEffect(() => {
    // the button has gone, and the focus with it
    if (wasBusy.current && !busy.value && document.activeElement === document.body)
      list.current?.querySelector("button")?.focus();
    wasBusy.current = busy.value !== null;
  }, [busy.value]);

  const undo = async (/** @type {Change} */ change) => {
    if (busy.value) return;
    busy.value = change.id;
    refusal.value = null;
    said.value = "";
    try {
      await teachingApi.undo(undoState(change, changes).last);
      await onUndone();
    } catch (error) {
      refusal.value = { id: change.id, words: /** @type {Error} */ (error).message };
    } finally {
      busy.value = null;
    }
  };

  /** One after the other, up to the first that is refused; what has gone by then stays gone. */
  const undoAll = async () => {
    if (busy.value) return;
    busy.value = ALL;
    refusal.value = null;
    said.value = "";
    let [{ change: at }] = standingNow;
    let n = 0;
    let refused = null;
    try {
      for (const { change, last } of standingNow) {
        at = change;
        await teachingApi.undo(last);
        n += 1;
      }
    } catch (error) {
      refused = {
        id: at.id,
        words: t("ch.stopped", { what: linesOf(at, titles)[0], why: /** @type {Error} */ (error).message }),
      };
    }
    try {
      if (n) await onUndone();
    } catch (error) {
      refused ??= { id: at.id, words: /** @type {Error} */ (error).message };
    }
    refusal.value = refused;
    if (refused) every.value = true; // it may be among the earlier ones
    if (n) said.value = t("ch.all_undone", { n });
    busy.value = null;
  };

  const forAll =
    (standingNow.length > 1 || busy.value === ALL) &&
    html`<button
      class="link t13"
      type="button"
      aria-disabled=${busy.value !== null || undefined}
      aria-busy=${busy.value === ALL || undefined}
      onClick=${undoAll}
    >
      ${t(busy.value === ALL ? "ch.undoing" : "ch.undo_all")}
    </button>`;
  return html`
    ${(head || forAll) && html`<header class="changes-head">${head}${forAll}</header>`}
    <p class="vh" role="status">${said.value}</p>
    <ul class="changes" ref=${list}>
      ${(every.value ? listed : listed.slice(0, AT_FIRST))
        .map((change) => ({ change, ...undoState(change, changes) }))
        .map(
          ({ change, isUndone }) => html`<li key=${change.id} class=${isUndone ? "undone" : ""}>
            <div>
              ${linesOf(change, titles).map((line) => html`<p class="change-what">${line}</p>`)}
              ${change.reason && html`<p class="reason why">${change.reason}</p>`}
              ${
                refusal.value?.id === change.id &&
                html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal.value.words}</span></p>`
              }
            </div>
            <button
              class="btn sm"
              type="button"
              aria-disabled=${busy.value !== null || undefined}
              aria-busy=${busy.value === change.id || undefined}
              onClick=${() => undo(change)}
            >
              ${t(buttonLabel(isUndone, busy.value === change.id))}
            </button>
          </li>`,
        )}
    </ul>
    ${
      !every.value &&
      listed.length > AT_FIRST &&
      html`<button
        class="link"
        type="button"
        onClick=${() => {
          every.value = true;
        }}
      >
        ${t("ch.more")}
      </button>`
    }
  `;
}

/**
 * What a change did, in a line for each node; for each edge only where no node tells it.
 * @param {Change} change
 * @param {Map<string, string>} titles
 * @returns {string[]}
 */
export function linesOf(change, titles) {
  const before = new Set(change.before.nodes.map((node) => node.id));
  const after = new Set(change.after.nodes.map((node) => node.id));
  const nodes = [
    ...change.after.nodes.map((node) => t(before.has(node.id) ? "ch.changed" : "ch.added", { title: node.title })),
    ...change.before.nodes.filter((node) => !after.has(node.id)).map((node) => t("ch.removed", { title: node.title })),
  ];
  if (nodes.length) return nodes;
  const ends = (/** @type {EdgeEnds} */ edge) => ({
    source: titles.get(edge.sourceNodeId),
    target: titles.get(edge.targetNodeId),
  });
  return [
    ...change.after.edges.map((edge) => t("ch.joined", ends(edge))),
    ...change.before.edges.map((edge) => t("ch.parted", ends(edge))),
  ];
}
