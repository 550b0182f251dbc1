import assert from "node:assert/strict";
import { test } from "node:test";
import { comingTime } from "../../../../static/lib/coming_time.js";

const now = new Date(2026, 10, 28, 3, 30).getTime();
const said = (day, hour, minute, language = "en") =>
  comingTime(new Date(2026, 10, day, hour, minute).getTime(), now, language);

test("a time of day is told up to a day ahead, and then the day alone", () => {
  assert.equal(said(28, 15, 1), "15:01");
  assert.equal(said(29, 3, 1), "tomorrow 03:01");
  assert.equal(said(29, 15, 1), "tomorrow");
  assert.equal(said(30, 3, 1), "November 30");
  assert.equal(said(29, 3, 1, "de"), "morgen 03:01");
  assert.equal(said(30, 3, 1, "de"), "30. November");
});

test("the minute that is told is not too early", () => {
  assert.equal(comingTime(new Date(2026, 10, 28, 15, 0, 1).getTime(), now, "en"), "15:01");
});
