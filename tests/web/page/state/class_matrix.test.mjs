import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FIRST_ORDER,
  ariaSort,
  daysAway,
  filteredRows,
  hardestConcepts,
  masteredCount,
  nextOrder,
  rowsOf,
  sortedRows,
  stateCounts,
} from "../../../../static/state/class_matrix.js";

const learner = (displayName, states, more = {}) => ({
  userId: displayName,
  displayName,
  lastActiveAt: null,
  due: 0,
  studySeconds: 0,
  hasCopy: true,
  states,
  stuck: [],
  unsure: [],
  dueConcepts: [],
  ...more,
});

const CLASS = {
  concepts: [
    { nodeId: "a", title: "A", stuck: 1 },
    { nodeId: "b", title: "B", stuck: 2 },
    { nodeId: "c", title: "C", stuck: 0 },
  ],
  learners: [
    learner("Zoe", ["in_progress", "in_progress", "locked"], { stuck: [0, 1], lastActiveAt: "2026-11-20T08:00:00Z" }),
    learner("Amira", ["mastered", "in_progress", "ready"], { stuck: [1], due: 2, dueConcepts: [0], unsure: [1] }),
    learner("Ben", ["mastered", "mastered", "learned"], { lastActiveAt: "2026-11-27T08:00:00Z", due: 1 }),
    learner("Cem", [null, null, null], { hasCopy: false, lastActiveAt: "2026-11-26T08:00:00Z" }),
  ],
};
const ROWS = rowsOf(CLASS);
const names = (rows) => rows.map((row) => row.learner.displayName);
const sorted = (by, isDescending) => names(sortedRows(ROWS, { by, isDescending }));

test("a cell has its state, which a review that is due outweighs, and whether one is stuck or in doubt", () => {
  const [, amira, , cem] = ROWS;
  assert.deepEqual(amira.cells, [
    { state: "due", isStuck: false, isUnsure: false },
    { state: "progress", isStuck: true, isUnsure: true },
    { state: "ready", isStuck: false, isUnsure: false },
  ]);
  assert.deepEqual(
    cem.cells.map(({ state }) => state),
    [null, null, null],
  );
});

test("who is stuck at most comes first, then by name", () => {
  assert.deepEqual(names(sortedRows(ROWS, FIRST_ORDER)), ["Zoe", "Amira", "Ben", "Cem"]);
});

test("a column sorts by itself: names by the alphabet, days by who is away longest, concepts by need", () => {
  assert.deepEqual(sorted("name", false), ["Amira", "Ben", "Cem", "Zoe"]);
  assert.deepEqual(sorted("name", true), ["Zoe", "Cem", "Ben", "Amira"]);
  assert.deepEqual(sorted("seen", false), ["Amira", "Zoe", "Cem", "Ben"]);
  assert.deepEqual(sorted("due", true), ["Amira", "Ben", "Cem", "Zoe"]);
  assert.deepEqual(sorted(0, true), ["Zoe", "Amira", "Ben", "Cem"]);
  assert.deepEqual(sorted(2, true), ["Amira", "Zoe", "Ben", "Cem"]);
  assert.deepEqual(sorted(2, false), ["Cem", "Ben", "Zoe", "Amira"]);
});

test("clicks on a head sort by it, turn it round, and lead back to the first order", () => {
  const once = nextOrder(FIRST_ORDER, 1);
  const twice = nextOrder(once, 1);
  assert.deepEqual(
    [once, twice, nextOrder(twice, 1)],
    [{ by: 1, isDescending: true }, { by: 1, isDescending: false }, FIRST_ORDER],
  );
  assert.deepEqual(nextOrder(once, "name"), { by: "name", isDescending: false });
  assert.deepEqual([ariaSort(once, 1), ariaSort(twice, 1), ariaSort(once, 2)], ["descending", "ascending", undefined]);
});

test("a filter keeps who has the name and, if wanted, who is stuck", () => {
  assert.deepEqual(names(filteredRows(ROWS, " E", false)), ["Zoe", "Ben", "Cem"]);
  assert.deepEqual(names(filteredRows(ROWS, "", true)), ["Zoe", "Amira"]);
  assert.deepEqual(names(filteredRows(ROWS, "ben", true)), []);
});

test("the hardest concepts are those in which somebody is stuck, the most first", () => {
  assert.deepEqual(hardestConcepts(CLASS), [1, 0]);
});

test("a concept counts its states without those who have no such concept; a learner counts what is mastered", () => {
  assert.deepEqual(stateCounts(ROWS, 0), [
    { state: "mastered", count: 1 },
    { state: "due", count: 1 },
    { state: "progress", count: 1 },
  ]);
  assert.deepEqual(ROWS.map(masteredCount), [0, 1, 2, 0]);
});

test("days away are counted by the calendar", () => {
  const now = new Date(2026, 10, 27, 0, 30).getTime();
  assert.equal(daysAway(null, now), null);
  assert.equal(daysAway(new Date(2026, 10, 27, 0, 10).toISOString(), now), 0);
  assert.equal(daysAway(new Date(2026, 10, 26, 23, 50).toISOString(), now), 1);
  assert.equal(daysAway(new Date(2026, 10, 15, 12).toISOString(), now), 12);
});
