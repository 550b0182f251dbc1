import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf } from "../../../../static/layout/time_axis.js";

const HOUR = 3_600_000;

test("work and short waits are drawn as long as they took", () => {
  const { at, isCut } = axisOf(1_000, 11_000, [[4_000, 6_000]]);
  assert.deepEqual([0, 1_000, 6_000, 11_000, 99_000].map(at), [0, 0, 0.5, 1, 1]);
  assert.equal(isCut, false);
});

test("a night's wait leaves two thirds of the axis to the work", () => {
  const { at, isCut } = axisOf(0, 10 * HOUR, [[60_000, 10 * HOUR - 60_000]]);
  assert.equal(isCut, true);
  assert.equal(Math.round(at(60_000) * 300), 100);
  assert.equal(Math.round(at(10 * HOUR - 60_000) * 300), 200);
});

test("waits of two agents at once count once, and what lies outside the run not at all", () => {
  const { at } = axisOf(0, 4_000, [
    [1_000, 3_000],
    [2_000, 3_000],
    [-5_000, 0],
    [9_000, 12_000],
  ]);
  assert.equal(at(2_000), 0.5);
});
