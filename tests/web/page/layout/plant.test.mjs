import assert from "node:assert/strict";
import test from "node:test";
import { GROUND, leafPath, plantOf, WIDTH } from "../../../../static/layout/plant.js";

test("a plant has as many leaves as there are learned parts, however many, and all of them above the ground", () => {
  for (const count of [1, 2, 9, 10, 11, 40, 41, 43, 120, 400]) {
    const plant = plantOf(count, 0);
    assert.equal(plant.leaves.length, count);
    for (const leaf of plant.leaves) {
      assert.ok(leaf.y <= GROUND - 10 && leaf.y >= plant.top.y - 20, `${count}: ${leaf.y}`);
      assert.ok(leaf.x > 0 && leaf.x < WIDTH && leaf.size > 0, `${count}: ${leaf.x}`);
    }
  }
});

test("up to nine leaves alternate, up to forty stand in pairs, above each twig carries five", () => {
  assert.deepEqual(
    plantOf(4, 0).leaves.map((leaf) => leaf.side),
    [1, -1, 1, -1],
  );
  assert.deepEqual(
    plantOf(10, 0).leaves.map((leaf) => leaf.side),
    [1, -1, 1, -1, 1, -1, 1, -1, 1, -1],
  );
  assert.deepEqual([plantOf(40, 0).twigs.length, plantOf(41, 0).twigs.length, plantOf(60, 0).twigs.length], [0, 9, 12]);
});

test("a plant grows upwards: each leaf more makes it taller until it reaches the top", () => {
  const heights = Array.from({ length: 9 }, (_, i) => GROUND - plantOf(i + 1, 0).top.y);
  assert.deepEqual(
    heights,
    heights.toSorted((a, b) => a - b),
  );
  assert.ok(GROUND - plantOf(400, 0).top.y <= GROUND - 8);
});

test("a leaf's path is closed and has no broken number", () => {
  for (const leaf of plantOf(60, 1).leaves) assert.match(leafPath(leaf), /^M[\d.-]+ [\d.-]+c[\d. -]+Z$|^M[^N]+Z$/);
});

test("a flower stands clear of the leaves below it, and no higher than other plants do", () => {
  for (const count of [1, 9, 22, 41]) {
    const plant = plantOf(count, 0, true);
    assert.ok(Math.min(...plant.leaves.map((leaf) => leaf.y)) - plant.top.y >= 26, `${count}`);
    assert.ok(plant.top.y >= 10, `${count}: ${plant.top.y}`);
  }
});
