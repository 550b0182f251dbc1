// Guided reading: what settled the last question is read before the next passage comes.
import assert from "node:assert/strict";
import test from "node:test";
import { openPassage, waitingTurn } from "../../../../static/state/reading.js";

const passage = (question, settledBy = []) => ({ who: "tutor", question, reading: { settledBy } });
const mine = { who: "learner", question: null, reading: null };
const open = (prompt, more = {}) => ({ prompt, attempts: 0, help: [], compare: null, reading: {}, ...more });

test("the first passage waits for nothing", () => {
  const turns = [passage("What is it?")];
  assert.equal(waitingTurn(turns, open("What is it?"), false), null);
  assert.equal(openPassage(turns, null), turns[0]);
});

test("the next one waits until its learner goes on, and the last one stands open meanwhile", () => {
  const turns = [passage("What is it?", ["It is."]), mine, passage("And this?")];
  assert.equal(waitingTurn(turns, open("And this?"), false), turns[2]);
  assert.equal(openPassage(turns, turns[2]), turns[0]);
  assert.equal(waitingTurn(turns, open("And this?"), true), null);
  assert.equal(openPassage(turns, null), turns[2]);
});

test("nothing waits once its question was tried or helped with, nor after one that was put away", () => {
  const turns = [passage("What is it?", ["It is."]), mine, passage("And this?")];
  assert.equal(waitingTurn(turns, open("And this?", { attempts: 1 }), false), null);
  assert.equal(waitingTurn(turns, open("And this?", { help: ["Read it again."] }), false), null);
  assert.equal(waitingTurn([passage("What is it?"), mine, passage("And this?")], open("And this?"), false), null);
});
