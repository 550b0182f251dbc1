// What stands of a change after it was undone and brought back, however often.
import "../vendored.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const {
  removedNodesOf: goneOf,
  linesOf,
  adaptationsIn: shownOf,
  undoState: standing,
  undoable,
} = await import("../../../../static/views/common/changes.js");
const NONE = { nodes: [], edges: [] };
const change = (id, undoneBy = null, more = {}) => ({
  id,
  undoneBy,
  undoes: null,
  agent: "concept_refinement",
  before: NONE,
  after: NONE,
  ...more,
});

test("a change stands, is undone, stands again, and what to undo next is the last of them", () => {
  assert.deepEqual(standing(change("a"), [change("a")]), { last: "a", isUndone: false });
  const undone = [change("a", "b"), change("b")];
  assert.deepEqual(standing(undone[0], undone), { last: "b", isUndone: true });
  const back = [change("a", "b"), change("b", "c"), change("c")];
  assert.deepEqual(standing(back[0], back), { last: "c", isUndone: false });
  assert.deepEqual(standing(change("a", "b"), [change("a", "b")]), { last: "b", isUndone: true });
});

test("only what fitted the path is listed, not how it was made nor the way back", () => {
  const all = [
    change("a"),
    change("b", null, { undoes: "a" }),
    change("c", null, { agent: "topic" }),
    change("d", null, { agent: null }),
  ];
  assert.deepEqual(
    shownOf(all).map(({ id }) => id),
    ["a"],
  );
});

test("all that stand are undone from the newest on, one that was brought back as of when it was", () => {
  const back = change("d", null, { undoes: "c" });
  const all = [
    back,
    change("c", "d", { undoes: "a" }),
    change("b"),
    change("gone", "elsewhere"),
    change("made", null, { agent: "topic" }),
    change("a", "c"),
  ];
  assert.deepEqual(
    undoable(all).map(({ change: { id }, last }) => [id, last]),
    [
      ["a", "d"],
      ["b", "b"],
    ],
  );
});

test("what a refinement took out is gone until it is brought back, whichever way", () => {
  const took = { before: { nodes: [{ id: "1", title: "First" }], edges: [{ sourceNodeId: "1", targetNodeId: "2" }] } };
  const there = new Map([["2", {}]]);
  assert.deepEqual(goneOf([change("a", null, took)], there), [{ id: "1", title: "First", pairs: [["1", "2"]] }]);
  assert.deepEqual(goneOf([change("a", "b", took)], there), []);
  assert.deepEqual(goneOf([change("a", null, took)], new Map([["1", {}]])), []);
  assert.deepEqual(goneOf([change("a", null, { ...took, agent: "topic" })], there), []);
});

test("a change says its nodes, and its edges only where no node tells it", () => {
  const edge = { sourceNodeId: "1", targetNodeId: "2" };
  const titles = new Map([
    ["1", "First"],
    ["2", "<b>Second</b>"],
  ]);
  assert.deepEqual(
    linesOf(change("a", null, { after: { nodes: [{ id: "2", title: "<b>Second</b>" }], edges: [edge] } }), titles),
    ["Added “<b>Second</b>”"],
  );
  assert.deepEqual(linesOf(change("a", null, { after: { nodes: [], edges: [edge] } }), titles), [
    "“First” now comes before “<b>Second</b>”",
  ]);
});
