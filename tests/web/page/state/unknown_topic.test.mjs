import assert from "node:assert/strict";
import { test } from "node:test";
import { listedFirst, standing } from "../../../../static/state/unknown_topic.js";

const refusal = { topic: "Vaccines", courses: [] };
const file = { name: "notes.md", size: 3 };
const courses = (...near) => near.map((each, at) => ({ title: `${at}`, desc: "", concepts: 1, near: each }));
const titles = (listed) => listed.map((each) => each.title).join("");

test("a refusal stands while the words name its topic, whatever stands below the first line", () => {
  assert.equal(standing(refusal, " Vaccines ", []), refusal);
  assert.equal(standing(refusal, "Vaccines\nfor Friday", []), refusal);
  assert.equal(standing(null, "Vaccines", []), null);
});

test("other words are another topic, and with notes any topic can be learned", () => {
  assert.equal(standing(refusal, "Vaccines in the brain", []), null);
  assert.equal(standing(refusal, "", []), null);
  assert.equal(standing(refusal, "Vaccines", [file]), null);
});

test("near courses are listed alone at first; without one, the first of all are", () => {
  assert.equal(titles(listedFirst(courses(true, false, false), 2)), "0");
  assert.equal(titles(listedFirst(courses(false, false, false), 2)), "01");
  assert.equal(titles(listedFirst(courses(true, true, true), 2)), "01");
  assert.equal(titles(listedFirst([], 2)), "");
});
