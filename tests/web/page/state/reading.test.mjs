// Guided reading: what settled the last question is read before the next passage comes.
import assert from "node:assert/strict";
import test from "node:test";
import { idToRead, isReadAlone, openPassage, waitingTurn } from "../../../../static/state/reading.js";

const passage = (question, settledBy = []) => ({ who: "tutor", question, reading: { settledBy } });
const mine = { who: "learner", question: null, reading: null };
const open = (prompt, more = {}) => ({
  question: { prompt, attempts: 0, help: [], compare: null, reading: {}, ...more },
  reading: null,
});
const alone = { question: null, reading: {} };

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

test("a passage that nothing is asked about waits after a question, and after another passage it does not", () => {
  const settled = passage("What is it?", ["It is."]);
  const first = { ...passage(null), id: "m1" };
  assert.equal(waitingTurn([settled, mine, first], alone, false), first);
  assert.equal(waitingTurn([settled, mine, first], alone, true), null);
  const second = { ...passage(null), id: "m2" };
  const turns = [settled, mine, first, mine, second];
  assert.equal(waitingTurn(turns, alone, false), null);
  assert.equal(openPassage(turns, null), second);
  assert.equal(idToRead(turns, alone), "m2");
  assert.deepEqual(turns.map(isReadAlone), [false, false, true, false, true]);
});
