// Progress as one looks at it: curves, leaves and figures from what the server tells, in the days of who looks.
import "../vendored.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import {
  calendar,
  curve,
  dayOf,
  gains,
  lastEightWeeks,
  summary,
  longestDay,
  masteryAt,
  standing,
  ticks,
  weekOf,
} from "../../../../static/state/progress.js";
import { modelContact } from "../../../../static/state/settings.js";

const { tally } = await import("../../../../static/views/path/last_answers.js");

const NOW = new Date(2026, 10, 18, 15, 30).getTime(); // a Wednesday
const at = (days, hour = 12) => new Date(2026, 10, 18 + days, hour).toISOString();
const turn = (nodeId, days, reached) => ({ nodeId, at: at(days), reached });
const learned = (days, minutes, hour = 12) => ({ at: at(days, hour), deeds: 2, seconds: minutes * 60 });
const TURNS = [
  turn("a", -30, "begun"),
  turn("a", -20, "learned"),
  turn("b", -9, "begun"),
  turn("c", -1, "begun"),
  turn("c", -1, "mastered"),
  turn("a", 0, "begun"),
];

test("what was reached at a moment is what each node's last turn before it says", () => {
  const [before, now] = masteryAt(TURNS, [dayOf(NOW, -10), NOW]);
  assert.deepEqual(before, { atMs: dayOf(NOW, -10), learned: 1, mastered: 0, begun: 0 });
  assert.deepEqual(now, { atMs: NOW, learned: 1, mastered: 1, begun: 2 });
  assert.deepEqual(masteryAt([], [NOW]), [{ atMs: NOW, learned: 0, mastered: 0, begun: 0 }]);
});

test("a curve has a point for every day of four weeks, for every week of a longer span, and ends now", () => {
  assert.deepEqual(
    ["month", "quarter", "year"].map((span) => curve(TURNS, span, NOW).length),
    [29, 13, 53],
  );
  const points = curve(TURNS, "quarter", NOW);
  assert.equal(points.at(-1).atMs, NOW);
  assert.deepEqual(
    points.slice(-3).map(({ learned, begun }) => [learned, begun]),
    [
      [1, 0],
      [1, 1],
      [1, 2],
    ],
  );
  assert.ok(points.every((point, i) => !i || point.atMs > points[i - 1].atMs));
});

test("the last eight weeks of a path are of its own subconcepts alone", () => {
  const begun = [
    { nodeId: "a", branchId: "one" },
    { nodeId: "b", branchId: "one" },
    { nodeId: "c", branchId: "other" },
  ];
  const points = lastEightWeeks({ begun, turns: TURNS }, "one", NOW);
  assert.equal(points.length, 9);
  assert.equal(points.at(-1).atMs, NOW);
  assert.deepEqual(
    points.map(({ learned }) => learned),
    [0, 0, 0, 0, 0, 0, 1, 1, 0],
  );
  assert.deepEqual(lastEightWeeks({ begun, turns: TURNS }, "none", NOW).at(-1), {
    atMs: NOW,
    learned: 0,
    mastered: 0,
    begun: 0,
  });
});

test("a week begins on Monday, and days keep their length over a change of the clock", () => {
  assert.equal(new Date(weekOf(NOW)).getDay(), 1);
  assert.equal(weekOf(new Date(2026, 10, 22, 23).getTime()), weekOf(NOW));
  assert.equal(new Date(dayOf(new Date(2026, 2, 28).getTime(), 2)).getHours(), 0);
});

test("the calendar has a column for each week, up to this one, whose days to come are marked", () => {
  const weeks = calendar([learned(0, 30), learned(0, 10, 14), learned(-7, 5)], "quarter", NOW);
  assert.deepEqual([weeks.length, weeks[11].length], [12, 7]);
  assert.deepEqual([weeks[11][2].seconds, weeks[11][2].deeds, weeks[10][2].seconds], [2400, 4, 300]);
  assert.deepEqual(
    weeks[11].map(({ ahead }) => ahead),
    [false, false, false, true, true, true, true],
  );
  assert.equal(longestDay(weeks), 2);
  assert.equal(longestDay(calendar([], "quarter", NOW)), null);
});

test("in a year each leaf is a week, in columns by month", () => {
  const months = calendar([learned(0, 30), learned(-2, 30)], "year", NOW);
  assert.equal(months.flat().length, 52);
  assert.equal(months.at(-1).at(-1).seconds, 3600);
  assert.ok(months.every((weeks) => weeks.length <= 5));
});

test("the figures of this week count from Monday", () => {
  const report = {
    turns: TURNS,
    studied: [learned(0, 20), learned(-2, 15), learned(-3, 50)],
    begun: [],
    parts: 9,
    cost: { since: "", usd: 0 },
  };
  assert.deepEqual(summary(report, NOW), { learned: 1, mastered: 1, begun: 2, more: 0, seconds: 35 * 60, days: 2 });
});

test("an axis has whole numbers, few lines, and room for the most", () => {
  for (const [most, expected] of [
    [0, [0, 1]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [12, [0, 5, 10, 15]],
    [52, [0, 20, 40, 60]],
    [300, [0, 100, 200, 300]],
  ])
    assert.deepEqual(ticks(most), expected);
});

test("whether a model answers is what the newest run says that asked it", () => {
  const run = (outputTokens, code = null) => ({
    usage: { outputTokens },
    error: code && { code, message: "It said no." },
    endedAt: at(0),
    startedAt: null,
    createdAt: at(0),
  });
  assert.equal(modelContact([run(0), run(5), run(0, "bad_key")]).state, "answered");
  assert.deepEqual(modelContact([run(3, "bad_key"), run(5)]), {
    state: "failed",
    atMs: Date.parse(at(0)),
    error: { code: "bad_key", message: "It said no." },
  });
  assert.equal(modelContact([run(0, "crash_loop")]).state, "unasked");
});

test("the last answers are counted by their marks, and only what all had to do without is said of all", () => {
  const answers = (...marks) => marks.map((mark) => ({ mark, helpLevel: 0 }));
  assert.equal(
    tally(answers("missed", "right", "partly", "missed")),
    "2 missed, 1 partly right, 1 right, all without help",
  );
  assert.equal(tally(answers("right")), "1 right, without help");
  assert.equal(tally([...answers("right"), { mark: "right", helpLevel: 2 }]), "2 right");
});

test("gained this week is what was reached since Monday and still holds, each part once", () => {
  const part = (nodeId, learned, mastered) => ({ nodeId, learned, mastered });
  const report = {
    turns: [
      turn("before", -3, "learned"),
      turn("before", 0, "mastered"),
      turn("both", -1, "learned"),
      turn("both", 0, "mastered"),
      turn("new", 0, "learned"),
      turn("lost", -1, "learned"),
      turn("old", -9, "learned"),
    ],
    begun: [
      part("before", true, true),
      part("both", true, true),
      part("new", true, false),
      part("lost", false, false),
      part("old", true, false),
    ],
  };
  const { learned, mastered } = gains(report, NOW);
  assert.deepEqual(
    [learned, mastered].map((parts) => parts.map((one) => one.nodeId)),
    [["new"], ["before", "both"]],
  );
});

test("a concept stands where its parts stand: what is not learned comes first, what is not begun is counted", () => {
  const part = (nodeId, conceptId, learned, mastered, answers) => ({ nodeId, conceptId, learned, mastered, answers });
  const report = {
    begun: [
      part("a", "one", true, false, 2),
      part("b", "one", false, false, 1),
      part("c", "two", true, true, 3),
      part("d", "one", true, true, 4),
    ],
  };
  const now = standing(report, { nodeId: "one", parts: 5 });
  assert.deepEqual(
    now.parts.map((one) => one.nodeId),
    ["b", "a", "d"],
  );
  assert.deepEqual([now.learned, now.mastered, now.notBegun, now.answers], [2, 1, 2, 7]);
});
