import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf, requestOf, addFiles } from "../../../../static/lib/file_selection.js";
import { shorten, clock, day, modelName, money, parseMs, duration } from "../../../../static/lib/format.js";
import { ancestry, graphOf, inLearningOrder, graphNodes } from "../../../../static/state/graph.js";
import { pieces, t } from "../../../../static/i18n/run.js";
import { groupLines, toolPieces } from "../../../../static/lib/activity_lines.js";
import {
  conceptAgent,
  conceptAgentsOf,
  nodeStatus,
  retryWait,
  statusWithMinutes,
} from "../../../../static/lib/node_status.js";
import { emptyActivity, reduce } from "../../../../static/state/event_reducer.js";
import { aNode, anEdge, aRun } from "../builders.mjs";

const LIMITS = { uploadMaxBytes: 100, uploadMaxFiles: 2, uploadTypes: [".md", ".txt"] };
const call = (callId, tool, input, ok = true) => ({
  type: "tool",
  callId,
  tool,
  input,
  at: null,
  result: ok === null ? null : { summary: "", ok, durationMs: 10, attempts: 1 },
});
const LEARNED = "2026-01-01T00:00:00.000Z";
const said = (list) => list.map((piece) => piece.text).join("");

test("a concept is locked until its prerequisites are learned, and its parts with it", () => {
  const graph = graphOf(
    [aNode("a"), aNode("b"), aNode("b1", { type: "subconcept", parentId: "b" })],
    [anEdge("a", "b")],
  );
  const before = graphNodes(graph, []);
  assert.deepEqual(
    [before.get("a").state, before.get("b").state, before.get("b1").state, before.get("b").missing],
    ["ready", "locked", "locked", 1],
  );
  const after = graphNodes(graph, [
    { nodeId: "a", completedAt: LEARNED, masteredAt: null, masteryScore: 0.7, attemptsCount: 2 },
    { nodeId: "b", completedAt: null, masteredAt: null, masteryScore: 0, attemptsCount: 1 },
  ]);
  assert.deepEqual(
    [after.get("a").state, after.get("b").state, after.get("b1").state],
    ["learned", "progress", "ready"],
  );
});

test("G6: what was begun is never locked, nor is a lesson that was left, or the concept that it belongs to", () => {
  const graph = graphOf(
    [aNode("a"), aNode("b"), ...["b1", "b2", "b3"].map((id) => aNode(id, { type: "subconcept", parentId: "b" }))],
    [anEdge("a", "b"), anEdge("b1", "b2"), anEdge("b2", "b3")],
  );
  const begun = { nodeId: "b2", completedAt: null, masteredAt: null, masteryScore: 0, attemptsCount: 1 };
  const states = (all) => ["b", "b1", "b2", "b3"].map((id) => all.get(id).state);
  assert.deepEqual(states(graphNodes(graph, [begun])), ["locked", "locked", "progress", "locked"]);
  assert.deepEqual(states(graphNodes(graph, [], {}, { b2: "left" })), ["progress", "ready", "progress", "locked"]);
});

test("a lesson that is over opens what builds on it, though its part is not learned; so does a whole concept", () => {
  const graph = graphOf(
    [aNode("a"), ...["a1", "a2"].map((id) => aNode(id, { type: "subconcept", parentId: "a" })), aNode("b")],
    [anEdge("a1", "a2"), anEdge("a", "b")],
  );
  const states = (lessons) => [...graphNodes(graph, [], {}, lessons).values()].map((node) => node.state);
  assert.deepEqual(states({}), ["ready", "ready", "locked", "locked"]);
  assert.deepEqual(states({ a1: "over" }), ["ready", "progress", "ready", "locked"]);
  assert.deepEqual(states({ a1: "over", a2: "over" }), ["ready", "progress", "progress", "ready"]);
});

test("a locked node counts everything that is to be learned before it, not only what it builds on at once", () => {
  const graph = graphOf(
    ["a", "b", "c", "d"].map((id) => aNode(id)),
    [anEdge("a", "b"), anEdge("a", "c"), anEdge("b", "d"), anEdge("c", "d")],
  );
  const learnedRow = (nodeId) => ({
    nodeId,
    completedAt: LEARNED,
    masteredAt: null,
    masteryScore: 1,
    attemptsCount: 2,
  });
  const missing = (...ids) => graphNodes(graph, ids.map(learnedRow)).get("d").missing;
  assert.equal(missing(), 3);
  assert.equal(missing("a", "b"), 1);
  assert.equal(missing("b", "c"), 0, "what is learned opens what follows, whatever lies further down");
});

test("ui 4: a node carries its state and its minutes; one that is learned, or growing, has none", () => {
  const all = graphNodes(graphOf([aNode("a"), aNode("b")], [anEdge("a", "b")]), [], { a: 24 });
  const status = (id, maker) => statusWithMinutes(nodeStatus(all.get(id), [], maker, 0));
  assert.equal(status("a"), "Ready, 24 min");
  assert.equal(status("b"), "After 1 more concept");
  assert.equal(status("a", { nodeId: "a", state: "running", endedAt: null, retry: null }), "Growing");
});

test("H4c: a node is learned and mastered when the server says so, whatever its score", () => {
  const stateOf = (row) =>
    graphNodes(graphOf([aNode("a")], []), [{ nodeId: "a", attemptsCount: 0, ...row }]).get("a").state;
  assert.equal(stateOf({ completedAt: null, masteredAt: null, masteryScore: 0.9 }), "progress");
  assert.equal(stateOf({ completedAt: LEARNED, masteredAt: null, masteryScore: 0.1 }), "learned");
  assert.equal(stateOf({ completedAt: LEARNED, masteredAt: LEARNED, masteryScore: 0.9 }), "mastered");
});

test("G6: what is learned and due for review is due, and so is its concept once that is learned", () => {
  const graph = graphOf([aNode("a"), ...["b", "c"].map((id) => aNode(id, { type: "subconcept", parentId: "a" }))], []);
  const learned = (/** @type {string} */ nodeId) => ({
    nodeId,
    attemptsCount: 1,
    masteryScore: 0.9,
    completedAt: LEARNED,
    masteredAt: null,
  });
  const states = (rows, due) => [...graphNodes(graph, rows, {}, {}, due).values()].map((node) => node.state);
  assert.deepEqual(states([learned("b")], ["b"]), ["ready", "due", "ready"]);
  assert.deepEqual(states(["a", "b", "c"].map(learned), ["b"]), ["due", "due", "learned"]);
  assert.deepEqual(states(["a", "b", "c"].map(learned), []), ["learned", "learned", "learned"]);
  assert.deepEqual(states([], ["b", "gone"]), ["ready", "ready", "ready"], "what is not learned has no review");
});

test("the list has prerequisites first and survives a circle", () => {
  const all = graphNodes(graphOf([aNode("c"), aNode("b"), aNode("a")], [anEdge("a", "b"), anEdge("b", "c")]), []);
  assert.deepEqual(
    inLearningOrder([...all.values()]).map((node) => node.id),
    ["a", "b", "c"],
  );
  const later = graphNodes(graphOf([aNode("a"), aNode("b"), aNode("first")], [anEdge("first", "a")]), []);
  assert.deepEqual(
    inLearningOrder([...later.values()]).map((node) => node.id),
    ["first", "a", "b"],
    "what was put before it later comes right before it",
  );
  const circle = graphNodes(graphOf([aNode("x"), aNode("y")], [anEdge("x", "y"), anEdge("y", "x")]), []);
  assert.equal(inLearningOrder([...circle.values()]).length, 2);
  assert.deepEqual([...ancestry(all, "c")], ["c", "b", "a"]);
});

test("equal finished calls fold from three on; refused and running ones stay apart", () => {
  const entries = [
    call("1", "save_concept", {}),
    call("2", "save_concept", {}),
    call("3", "save_concept", {}),
    call("4", "save_concept", {}, false),
    call("5", "save_concept", {}, null),
  ];
  assert.deepEqual(
    groupLines(entries).map((line) => line.kind),
    ["many", "tool", "tool"],
  );
  assert.deepEqual(
    groupLines(entries.slice(0, 2)).map((line) => line.kind),
    ["tool", "tool"],
  );
});

test("a call reads as verb and object, also one of a tool that nobody described", () => {
  assert.equal(said(toolPieces(call("1", "save_concept", { title: "Alpha" }))), "Saved concept Alpha");
  assert.equal(
    said(toolPieces(call("1", "save_concept_edge", { source_title: "A", target_title: "B" }, null))),
    "Linking A to B",
  );
  assert.equal(said(toolPieces(call("1", "count_leaves", { query: "x" }))), "Used count leaves");
});

test("text from a model stays text: markup is only letters, and placeholders in it stay as they are", () => {
  const [, title] = pieces("tool.save_concept.done", { title: "<img src=x onerror=alert(1)>{title}" });
  assert.deepEqual(title, { text: "<img src=x onerror=alert(1)>{title}", isValue: true });
});

test("a retry counts down beside its node", () => {
  const events = aRun().slice(0, 12);
  const activity = events.reduce(reduce, emptyActivity("R"));
  const maker = conceptAgent(conceptAgentsOf(activity), "a");
  const atMs = Date.parse(maker.retry.at) + 1500;
  assert.equal(retryWait(maker, atMs).seconds, 3);
  const all = graphNodes(activity.graph, []);
  assert.deepEqual(nodeStatus(all.get("a"), [], maker, atMs), { text: "Claude is overloaded, 3 s", tone: "wait" });
});

test("files are refused with a reason beside their name, and the others are kept", () => {
  const { files, refused } = addFiles(
    [],
    [
      { name: "a.md", size: 5 },
      { name: "b.pdf", size: 5 },
      { name: "c.TXT", size: 101 },
      { name: "a.md", size: 5 },
      { name: "d.md", size: 0 },
      { name: "e.txt", size: 1 },
      { name: "f.txt", size: 1 },
    ],
    LIMITS,
  );
  assert.deepEqual(
    files.map((file) => file.name),
    ["a.md", "e.txt"],
  );
  assert.equal(refused.length, 5);
  assert.match(refusalOf({ name: "b.pdf", size: 5 }, LIMITS), /b\.pdf isn’t supported; use \.md, \.txt/);
});

test("a request's first line names the path, a file does where there are no words", () => {
  assert.deepEqual(requestOf("  Bayes  \nfor doctors", []), { title: "Bayes", desc: "Bayes  \nfor doctors" });
  assert.deepEqual(requestOf("Bayes", []), { title: "Bayes", desc: null });
  assert.deepEqual(requestOf(" ", [{ name: "clinical-trials_2.md", size: 1 }]), {
    title: "clinical trials 2",
    desc: null,
  });
  assert.deepEqual(requestOf("", []), { title: "", desc: null });
  assert.ok(requestOf("word ".repeat(80), []).title.length <= 121);
});

test("numbers and times read as a person says them", () => {
  assert.equal(clock(102_000), "1:42");
  assert.equal(clock(3_723_000), "1:02:03");
  assert.equal(duration(1100), "1.1 s");
  assert.equal(money(0.47), "$0.47");
  assert.equal(money(0.0042), "$0.0042");
  assert.equal(modelName("claude-opus-5-5", false), "Opus 5.5");
  assert.equal(modelName("claude-haiku-4-20260101", false), "Haiku 4");
  assert.equal(modelName("llama3", false), "llama3");
  assert.equal(modelName("sprout-offline", true), "offline demo model");
  assert.equal(shorten("one two three", 9), "one two…");
  assert.equal(t("paths.concepts", { n: 1 }), "1 concept");
  assert.equal(t("paths.concepts", { n: 2 }), "2 concepts");
});

test("the database's times are read as UTC", () => {
  assert.equal(parseMs("2026-11-20 08:19:52"), parseMs("2026-11-20T08:19:52.000Z"));
  const now = new Date(2026, 10, 20, 12).getTime();
  assert.equal(day(null, now), "Never");
  assert.equal(day(new Date(now - 30_000).toISOString(), now), "Just now");
  assert.equal(day(new Date(2026, 10, 19, 23).toISOString(), now), "Yesterday");
});

test("what a node says of its agent stays the same while the agent writes, and changes when it waits", () => {
  const [until, delta] = [
    aRun().slice(0, 11),
    {
      kind: "agent_reasoning_delta",
      seq: null,
      runId: "C",
      agent: "subconcept_bootstrap:Alpha",
      blockId: "b9",
      text: "more",
    },
  ];
  const before = until.reduce(reduce, emptyActivity("R"));
  assert.deepEqual(conceptAgentsOf(reduce(before, delta)), conceptAgentsOf(before));
  assert.equal(conceptAgent(conceptAgentsOf(before), "a").retry, null);
  assert.equal(conceptAgent(conceptAgentsOf(reduce(before, aRun()[11])), "a").retry.of, 5);
});
