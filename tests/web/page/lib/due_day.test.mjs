import assert from "node:assert/strict";
import { test } from "node:test";
import { dueDay } from "../../../../static/lib/due_day.js";

const now = new Date(2026, 10, 24, 23, 30).getTime(); // a Tuesday
const said = (date) => Object.values(dueDay(date, now, "en")).join(" ");

test("a date is a weekday within a week, then a day of the month", () => {
  assert.equal(said("2026-11-24"), "today November 24");
  assert.equal(said("2026-11-25"), "tomorrow Wednesday");
  assert.equal(said("2026-11-27"), "by Friday");
  assert.equal(said("2026-11-30"), "by Monday");
  assert.equal(said("2026-12-01"), "by December 1");
  assert.equal(said("2026-11-23"), "was November 23");
});
