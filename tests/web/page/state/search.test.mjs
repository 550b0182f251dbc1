import assert from "node:assert/strict";
import { test } from "node:test";
import { findByTitle, entriesOfOpenPath, entriesOfPaths } from "../../../../static/state/search.js";
import { graphOf, graphNodes } from "../../../../static/state/graph.js";
import { aNode } from "../builders.mjs";

const aPath = (id, title, concepts) => ({
  branch: { id, title },
  concepts: concepts.map((each) => ({
    id: `${id}-${each}`,
    title: each,
    learned: false,
    mastered: false,
    begun: false,
    mastery: 0,
    subconceptCount: 0,
  })),
});
const titles = (hits) => hits.map((hit) => hit.title);

test("a title that begins with the words comes before one that holds them, and the open path before the others", () => {
  const open = graphNodes(
    graphOf(
      [
        aNode("a", { title: "Rates of change" }),
        aNode("a1", { type: "subconcept", parentId: "a", title: "Base rates" }),
      ],
      [],
    ),
    [],
  );
  const all = [
    ...entriesOfOpenPath(open, "here"),
    ...entriesOfPaths([aPath("there", "Rates and taxes", ["What rates are for"])], "here"),
  ];
  assert.deepEqual(titles(findByTitle(all, " rate")), [
    "Rates of change",
    "Rates and taxes",
    "Base rates",
    "What rates are for",
  ]);
});

test("the open path is found once, and what is found leads to where it stands", () => {
  const open = graphNodes(
    graphOf(
      [aNode("a1", { type: "subconcept", parentId: "a", title: "Base rates" }), aNode("a", { title: "Counting" })],
      [],
    ),
    [],
  );
  const all = [
    ...entriesOfOpenPath(open, "here"),
    ...entriesOfPaths([aPath("here", "Bayes", ["Counting"]), aPath("there", "Soil", ["Clay"])], "here"),
  ];
  assert.deepEqual(
    findByTitle(all, "").map((hit) => [hit.branchId, hit.conceptId]),
    [
      ["here", "a"],
      ["here", "a"],
      ["there", null],
      ["there", "there-Clay"],
    ],
  );
  assert.deepEqual(findByTitle(all, "bayes"), []);
});
