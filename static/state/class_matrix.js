// @ts-check
/** Matrix of a class: its cells, and how its rows are sorted and filtered. Pure; the time is passed in. */

import { parseMs } from "../lib/format.js";

/** @import { ClassLearner, ClassProgress } from "../types.d.ts" */
/** @import { NodeState } from "./graph.js" */

/**
 * @typedef {{ state: NodeState | null, isStuck: boolean, isUnsure: boolean }} Cell `state`: null where the learner has no
 *   such concept
 * @typedef {{ learner: ClassLearner, cells: Cell[] }} MatrixRow
 * @typedef {"stuck" | "name" | "seen" | "due" | number} Column a number is the place of a concept
 * @typedef {{ by: Column, isDescending: boolean }} Order
 */

/** Most stuck first. @type {Order} */
export const FIRST_ORDER = { by: "stuck", isDescending: true };

/** From far to close to being mastered. @type {(NodeState | null)[]} */
const BY_NEED = ["progress", "ready", "locked", "due", "learned", "mastered", null];
/** @type {NodeState[]} */
const SHOWN_STATES = ["mastered", "due", "learned", "progress", "ready", "locked"];

/** @type {Record<string, NodeState>} */
const STATES = {
  locked: "locked",
  ready: "ready",
  in_progress: "progress",
  learned: "learned",
  mastered: "mastered",
};

/** A row per learner, in the order of the answer. @param {ClassProgress} progress @returns {MatrixRow[]} */
export const rowsOf = ({ learners }) => learners.map((learner) => ({ learner, cells: cellsOf(learner) }));

/** @param {ClassLearner} learner @returns {Cell[]} */
function cellsOf({ states, stuck, unsure, dueConcepts }) {
  const [isStuck, isUnsure, isDue] = [new Set(stuck), new Set(unsure), new Set(dueConcepts)];
  return states.map((state, i) => ({
    state: shownState(state, isDue.has(i)),
    isStuck: isStuck.has(i),
    isUnsure: isUnsure.has(i),
  }));
}

/** @param {string | null} state @param {boolean} isDue @returns {NodeState | null} */
function shownState(state, isDue) {
  if (state === null) return null;
  return isDue ? "due" : STATES[state];
}

/** The order after a click on a column's head: its own, the other way round, then the first one again. */
export function nextOrder(/** @type {Order} */ now, /** @type {Column} */ by) {
  const isDescending = typeof by === "number" || by === "due";
  if (now.by !== by) return { by, isDescending };
  return now.isDescending === isDescending ? { by, isDescending: !isDescending } : FIRST_ORDER;
}

/** Value of `aria-sort` of a column's head. @param {Order} order @param {Column} column */
export function ariaSort({ by, isDescending }, column) {
  if (by !== column) return undefined;
  return isDescending ? "descending" : "ascending";
}

/** @param {MatrixRow[]} rows @param {Order} order @returns {MatrixRow[]} */
export function sortedRows(rows, { by, isDescending }) {
  const turn = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => turn * (rank(a, by) - rank(b, by)) || (by === "name" ? turn : 1) * byName(a, b));
}

/** What a column sorts by; names are compared after it. @param {MatrixRow} row @param {Column} by */
function rank({ learner, cells }, by) {
  if (by === "name") return 0;
  if (by === "stuck") return learner.stuck.length;
  if (by === "due") return learner.due;
  if (by === "seen") return learner.lastActiveAt === null ? 0 : parseMs(learner.lastActiveAt);
  const { state, isStuck } = cells[by];
  return isStuck ? 1 : -BY_NEED.indexOf(state);
}

/** @param {MatrixRow} a @param {MatrixRow} b */
const byName = (a, b) => a.learner.displayName.localeCompare(b.learner.displayName);

/**
 * The rows whose name contains the text, and that are stuck somewhere if that is wanted.
 * @param {MatrixRow[]} rows
 * @param {string} name
 * @param {boolean} stuckOnly
 */
export function filteredRows(rows, name, stuckOnly) {
  const wanted = name.trim().toLocaleLowerCase();
  return rows.filter(
    ({ learner }) =>
      learner.displayName.toLocaleLowerCase().includes(wanted) && (!stuckOnly || learner.stuck.length > 0),
  );
}

/** Places of the concepts in which somebody is stuck, the hardest first. @param {ClassProgress} progress */
export const hardestConcepts = ({ concepts }) =>
  concepts
    .map(({ stuck }, place) => ({ place, stuck }))
    .filter(({ stuck }) => stuck > 0)
    .sort((a, b) => b.stuck - a.stuck || a.place - b.place)
    .map(({ place }) => place);

/** How many learners stand where in a concept, the furthest first. @param {MatrixRow[]} rows @param {number} place */
export const stateCounts = (rows, place) =>
  SHOWN_STATES.map((state) => ({
    state,
    count: rows.filter(({ cells }) => cells[place].state === state).length,
  })).filter(({ count }) => count > 0);

/** How many concepts a learner has mastered, the due ones among them. @param {MatrixRow} row */
export const masteredCount = ({ cells }) => cells.filter(({ state }) => state === "mastered" || state === "due").length;

/**
 * Whole days since somebody was here, by the calendar of whoever looks; null: never.
 * @param {string | null} at
 * @param {number} nowMs
 */
export function daysAway(at, nowMs) {
  if (at === null) return null;
  const midnight = (/** @type {number} */ ms) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.max(0, Math.round((midnight(nowMs) - midnight(parseMs(at))) / 86_400_000));
}
