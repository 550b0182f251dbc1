import assert from "node:assert/strict";
import { test } from "node:test";
import { branchPaths } from "../../../../static/layout/branches.js";
import { ghostPlaces } from "../../../../static/layout/free_places.js";
import { marginNote } from "../../../../static/layout/margin_note.js";
import { rightExtent, ROW, statusRoom, titleLines } from "../../../../static/layout/measures.js";
import { placeNodes } from "../../../../static/layout/placement.js";
import { nextNode } from "../../../../static/layout/arrow_keys.js";

const LEFT = 34;
const leaves = (ids) => ids.map((id) => ({ id, title: `Concept number ${id}` }));
const DIAMOND = [
  ["a", "b"],
  ["a", "c"],
  ["b", "d"],
  ["c", "d"],
];

const assertUpward = (pairs, places) => {
  for (const [source, target] of pairs)
    assert.ok(places.get(source).layer < places.get(target).layer, `${source} below ${target}`);
};
const assertApart = (nodes, places) => {
  for (const one of nodes)
    for (const other of nodes) {
      if (one === other) continue;
      const [a, b] = [places.get(one.id), places.get(other.id)];
      if (Math.abs(a.layer - b.layer) * ROW >= 70) continue;
      assert.ok(
        a.x + rightExtent(one.title) <= b.x - LEFT || b.x + rightExtent(other.title) <= a.x - LEFT,
        `${one.id} and ${other.id} overlap`,
      );
    }
};
/** A repeatable stream of numbers in 0..1. */
const chances = (seed) => () => {
  seed = (seed * 1664525 + 1013904223) % 2 ** 32;
  return seed / 2 ** 32;
};

test("foundations stand on the ground, what builds on them above", () => {
  const nodes = leaves(["d", "c", "b", "a"]);
  const places = placeNodes(nodes, DIAMOND);
  assert.equal(places.get("a").layer, 0);
  assert.equal(places.get("d").layer, 2);
  assertUpward(DIAMOND, places);
  assertApart(nodes, places);
});

test("every node without prerequisites is on the ground", () => {
  const places = placeNodes(leaves(["a", "b", "c", "x"]), [
    ["a", "b"],
    ["b", "c"],
    ["x", "c"],
  ]);
  assert.equal(places.get("x").layer, 0);
});

test("the same graph gives the same places", () => {
  assert.deepEqual(
    placeNodes(leaves(["a", "b", "c", "d"]), DIAMOND),
    placeNodes(leaves(["a", "b", "c", "d"]), DIAMOND),
  );
});

test("places are kept while the graph grows, whatever comes", () => {
  const chance = chances(7);
  let kept = new Map();
  const nodes = [];
  const pairs = [];
  for (let i = 0; i < 40; i++) {
    nodes.push(...leaves([String(i)]));
    for (let j = 0; j < 2 && i; j++) pairs.push([String(Math.floor(chance() * i)), String(i)]);
    const places = placeNodes(nodes, pairs, kept);
    for (const [id, place] of kept) assert.deepEqual(places.get(id), place, `${id} moved when ${i} came`);
    assertUpward(pairs, places);
    assertApart(nodes, places);
    kept = places;
  }
});

test("a node that is put between two others gets half a wire, and neither moves", () => {
  const kept = placeNodes(leaves(["a", "b"]), [["a", "b"]]);
  const pairs = [
    ["a", "b"],
    ["a", "m"],
    ["m", "b"],
  ];
  const places = placeNodes(leaves(["a", "b", "m"]), pairs, kept);
  assert.deepEqual([places.get("a"), places.get("b")], [kept.get("a"), kept.get("b")]);
  assertUpward(pairs, places);
  assertApart(leaves(["a", "b", "m"]), places);
});

test("a prerequisite below the ground lowers the ground, not the node", () => {
  const kept = placeNodes(leaves(["a", "b"]), [["a", "b"]]);
  const places = placeNodes(
    leaves(["a", "b", "z"]),
    [
      ["a", "b"],
      ["z", "a"],
    ],
    kept,
  );
  assert.deepEqual(places.get("a"), kept.get("a"));
  assert.equal(places.get("z").layer, -1);
});

test("only a node that a new edge contradicts gives its place up", () => {
  const kept = placeNodes(leaves(["a", "b", "c"]), [
    ["a", "b"],
    ["a", "c"],
  ]);
  const pairs = [
    ["a", "b"],
    ["a", "c"],
    ["b", "c"],
  ];
  const places = placeNodes(leaves(["a", "b", "c"]), pairs, kept);
  assert.deepEqual([places.get("a"), places.get("b")], [kept.get("a"), kept.get("b")]);
  assertUpward(pairs, places);
});

test("when a node moves up, what stands on it moves up too, and nothing else", () => {
  const before = [
    ["a", "b"],
    ["b", "e"],
    ["a", "c"],
    ["c", "d"],
  ];
  const nodes = leaves(["a", "b", "c", "d", "e"]);
  const kept = placeNodes(nodes, before);
  const pairs = [...before, ["d", "b"]];
  const places = placeNodes(nodes, pairs, kept);
  assertUpward(pairs, places);
  assertApart(nodes, places);
  for (const id of ["a", "c", "d"]) assert.deepEqual(places.get(id), kept.get(id));
});

test("what was taken out leaves a ghost on its wire, apart from everything, and nothing moves", () => {
  const nodes = leaves(["a", "b", "c", "d"]);
  const places = placeNodes(nodes, DIAMOND);
  const before = structuredClone(places);
  const gone = [
    {
      id: "x",
      title: "Between",
      pairs: [
        ["a", "x"],
        ["x", "d"],
      ],
    },
    {
      id: "y",
      title: "Between as well",
      pairs: [
        ["a", "y"],
        ["y", "d"],
      ],
    },
    { id: "z", title: "Below b", pairs: [["z", "b"]] },
    { id: "w", title: "By itself", pairs: [["v", "w"]] },
  ];
  const ghosts = ghostPlaces(gone, nodes, places);
  assert.deepEqual(
    gone.map(({ id }) => ghosts.get(id).layer),
    [1, 1, 0, 0],
  );
  assertApart([...nodes, ...gone], new Map([...places, ...ghosts]));
  assert.deepEqual(places, before);
  assert.equal(ghostPlaces([], nodes, places).size, 0);
});

test("a circle or an edge to nowhere does no harm", () => {
  const places = placeNodes(leaves(["a", "b"]), [
    ["a", "b"],
    ["b", "a"],
    ["a", "gone"],
  ]);
  assert.equal(places.get("b").layer, 1);
});

test("three hundred nodes are placed, apart and upwards, and one more finds its place", () => {
  const nodes = leaves(Array.from({ length: 300 }, (_, i) => String(i)));
  const pairs = nodes.slice(1).flatMap((_, i) => [[String(Math.floor((i + 1) / 2.2)), String(i + 1)]]);
  const places = placeNodes(nodes, pairs);
  assertUpward(pairs, places);
  assertApart(nodes, places);
  const grown = placeNodes([...nodes, ...leaves(["new"])], [...pairs, ["150", "new"]], places);
  assert.equal(grown.size, 301);
  assertApart([...nodes, ...leaves(["new"])], grown);
});

/** From the left end of the leftmost mark to the right end of the rightmost label. */
const widthOf = (nodes, places) =>
  Math.max(...nodes.map((node) => places.get(node.id).x + rightExtent(node.title))) -
  Math.min(...nodes.map((node) => places.get(node.id).x - LEFT));
const READABLE_WIDTH = 940;

test("ui 4: a wide layer takes several rows, so that a window shows the map at a readable scale", () => {
  const chance = chances(11);
  for (const count of [4, 9, 30, 120]) {
    const nodes = leaves(Array.from({ length: count }, (_, i) => String(i)));
    const star = nodes.slice(1).map(({ id }) => ["0", id]);
    const random = nodes.slice(1).flatMap(({ id }) => [
      [String(Math.floor(chance() * Number(id))), id],
      [String(Math.floor(chance() * Number(id))), id],
    ]);
    for (const pairs of [[], star, random]) {
      const places = placeNodes(nodes, pairs);
      assertUpward(pairs, places);
      assertApart(nodes, places);
      assert.ok(widthOf(nodes, places) <= READABLE_WIDTH, `${count} nodes take ${widthOf(nodes, places)} px`);
    }
  }
});

test("ui 4: a map that grows keeps its width as well", () => {
  const chance = chances(5);
  const nodes = [];
  const pairs = [];
  let places = new Map();
  for (let i = 0; i < 60; i++) {
    nodes.push({ id: String(i), title: `${"a word ".repeat(i % 5)}of node ${i}` });
    if (i) pairs.push([String(Math.floor(chance() * Math.min(i, 4))), String(i)]);
    places = placeNodes(nodes, pairs, places);
  }
  assertUpward(pairs, places);
  assertApart(nodes, places);
  assert.ok(widthOf(nodes, places) <= READABLE_WIDTH, `${widthOf(nodes, places)} px`);
  for (const { x } of places.values()) assert.ok(Number.isInteger(x), `${x} px is no place that is stored`);
});

test("nothing at all is placed without complaint", () => {
  assert.equal(placeNodes([], []).size, 0);
});

const ROOM = { top: 26, bottom: 30 };
/** Where a branch stands on each wire that it passes. */
const passed = (d) =>
  [...d.matchAll(/C[^C]+ (\S+) (-?[\d.]+)(?=C|$)/g)].map(([, x, y]) => [Number(x), Number(y)]).slice(0, -1);

test("an edge over several wires goes around the label that stands between", () => {
  const nodes = leaves(["a", "b", "c"]);
  const pairs = [
    ["a", "b"],
    ["b", "c"],
    ["a", "c"],
  ];
  const places = new Map([
    ["a", { x: 0, layer: 0 }],
    ["b", { x: 0, layer: 1 }],
    ["c", { x: 0, layer: 2 }],
  ]);
  const ways = branchPaths(pairs, nodes, places, ROOM);
  const [[x, y]] = passed(ways.get("a>c"));
  assert.equal(y, -ROW);
  assert.ok(x <= -LEFT || x >= rightExtent(nodes[1].title));
  assert.deepEqual(passed(ways.get("a>b")), []);
});

test("an edge over several wires with nothing in its way goes there in one curve", () => {
  const nodes = leaves(["a", "b", "c"]);
  const places = new Map([
    ["a", { x: 0, layer: 0 }],
    ["b", { x: 900, layer: 1 }],
    ["c", { x: 60, layer: 3 }],
  ]);
  assert.deepEqual(passed(branchPaths([["a", "c"]], nodes, places, ROOM).get("a>c")), []);
});

test("an edge that has to go around keeps to one stem instead of winding from gap to gap", () => {
  const nodes = leaves(["a", "b", "c", "d", "e"]);
  const places = new Map([
    ["a", { x: 0, layer: 0 }],
    ["b", { x: 100, layer: 1 }],
    ["c", { x: 160, layer: 2 }],
    ["d", { x: 130, layer: 3 }],
    ["e", { x: 260, layer: 4 }],
  ]);
  const xs = passed(branchPaths([["a", "e"]], nodes, places, ROOM).get("a>e")).map(([x]) => x);
  assert.equal(new Set(xs).size, 1);
});

test("a long title takes three lines at most", () => {
  assert.deepEqual(titleLines("Base rates"), ["Base rates"]);
  assert.equal(
    titleLines("How common a thing is before anybody has been tested for it at all, in words for everyone").length,
    3,
  );
  assert.ok(titleLines("Donaudampfschifffahrtselektrizitätenhauptbetriebswerk")[0].length <= 24);
});

test("arrow keys follow the branches up and down, and a wire left and right", () => {
  const node = (id, needs, opens) => ({ id, needs, opens });
  const nodes = [node("a", [], ["b", "c"]), node("b", ["a"], []), node("c", ["a"], [])];
  const places = new Map([
    ["a", { x: 0, layer: 0 }],
    ["b", { x: -50, layer: 1 }],
    ["c", { x: 200, layer: 1 }],
  ]);
  assert.equal(nextNode("ArrowUp", "a", nodes, places), "b");
  assert.equal(nextNode("ArrowRight", "b", nodes, places), "c");
  assert.equal(nextNode("ArrowDown", "c", nodes, places), "a");
  assert.equal(nextNode("ArrowLeft", "b", nodes, places), null);
  assert.equal(nextNode("x", "b", nodes, places), null);
});

test("a path that grows edge by edge does not drift sideways", () => {
  const titles = [
    "Turning percentages into counts of people",
    "Degrees of belief: saying how sure you are",
    "“Given that”: looking at one group only",
    "Base rates: how common it was before",
    "Bayes' rule with a table of counts",
    "Weighing several clues: odds and likelihood ratios",
  ];
  const nodes = titles.map((title, id) => ({ id: String(id), title }));
  const pairs = [];
  let places = placeNodes(nodes, pairs);
  for (const pair of [
    ["0", "2"],
    ["0", "3"],
    ["2", "4"],
    ["3", "4"],
    ["1", "5"],
    ["4", "5"],
  ]) {
    pairs.push(pair);
    places = placeNodes(nodes, pairs, places);
  }
  const sideways = pairs.reduce((sum, [a, b]) => sum + Math.abs(places.get(a).x - places.get(b).x), 0);
  assert.ok(sideways < 1000, `the branches go ${sideways} sideways in all`);
});

test("a reason stands below its node's label, or nowhere when something else stands there", () => {
  const nodes = leaves(["a", "b"]);
  const why =
    "Added because you took nine percent and nine of a hundred for different things in two of your answers, and once more here.";
  const note = marginNote(
    why,
    nodes[1],
    nodes,
    new Map([
      ["a", { x: -400, layer: 0 }],
      ["b", { x: 0, layer: 1 }],
    ]),
  );
  assert.equal(note.lines.join(" "), why);
  assert.ok(note.y > -ROW && note.lines.length <= 4);
  assert.equal(
    marginNote(
      why,
      nodes[1],
      nodes,
      new Map([
        ["a", { x: 60, layer: 0 }],
        ["b", { x: 0, layer: 1 }],
      ]),
    ),
    null,
  );
  assert.equal(marginNote(why, nodes[1], nodes, new Map()), null);
});

test("a status has the room of its title's longest line, and of the gap beside it", () => {
  assert.ok("Ready, 5 parts, 24 min".length <= statusRoom("Odds"));
  assert.ok("After 12 more concepts, 104 min".length > statusRoom("Odds"));
  assert.ok("After 12 more concepts, 104 min".length <= statusRoom("Turning them into counts"));
});
