import assert from "node:assert/strict";
import { test } from "node:test";
import { tabCursor } from "../../../../static/net/cursors.js";
import { runsAfter, waitingRunsIn } from "../../../../static/state/active_runs.js";
import { connection, recording } from "../played.mjs";

const happened = recording();
const ROOTS = ["A", "B"];

/** A page: what it has reduced, and where it would go on. It watches both runs, so it asks for those it has missed. */
function aPage() {
  let roots = {};
  const cursor = tabCursor(
    (after) => after,
    () => ROOTS.filter((id) => !roots[id]?.lastSeq),
  );
  return {
    roots: () => roots,
    place: () =>
      Object.fromEntries(
        cursor
          .url()
          .split(",")
          .filter(Boolean)
          .map((place) => place.split(":"))
          .map(([root, seq]) => [root, Number(seq)]),
      ),
    take({ kind, id, data }) {
      roots = runsAfter(roots, cursor.read(kind, id, data));
    },
  };
}

const read = (page, frames, times = 1) => {
  for (const frame of frames) for (let i = 0; i < times; i++) page.take(frame);
};
const undisturbed = aPage();
read(undisturbed, connection(happened, {}, 0, happened.length));
const whole = undisturbed.roots();

test("an undisturbed page sees both runs to their ends", () => {
  assert.deepEqual(
    ROOTS.map((id) => whole[id].status),
    ["completed", "failed"],
  );
  assert.deepEqual(
    whole.A.agents.A.entries.map((entry) => entry.blockId ?? entry.callId ?? entry.type),
    ["guardrail", "b1", "c1", "resumed", "c2", "asks", "resumed", "b4"],
  );
});

test("V2: cut at every event, with what happened meanwhile missed, a page ends in the same state", () => {
  for (let cut = 0; cut <= happened.length; cut++) {
    for (const missed of [0, 1, 5, happened.length]) {
      const page = aPage();
      read(page, connection(happened, {}, 0, cut));
      const back = Math.min(happened.length, cut + missed);
      read(page, connection(happened, page.place(), back, happened.length));
      assert.deepEqual(page.roots(), whole, `cut after ${cut}, ${missed} missed`);
    }
  }
});

test("V2: cut twice, in the middle of the replay too, a page ends in the same state", () => {
  for (let cut = 0; cut <= happened.length; cut += 3) {
    for (let inReplay = 0; inReplay < 12; inReplay += 2) {
      const page = aPage();
      read(page, connection(happened, {}, 0, cut));
      read(page, [...connection(happened, page.place(), happened.length, happened.length)].slice(0, inReplay));
      read(page, connection(happened, page.place(), happened.length, happened.length));
      assert.deepEqual(page.roots(), whole, `cut after ${cut}, and after ${inReplay} of the replay`);
    }
  }
});

test("V2: a page that comes late, at any event, ends in the same state", () => {
  for (let late = 0; late <= happened.length; late++) {
    const page = aPage();
    read(page, connection(happened, page.place(), late, happened.length));
    assert.deepEqual(page.roots(), whole, `from ${late} on`);
  }
});

test("kept events that come twice change nothing", () => {
  const page = aPage();
  for (const frame of connection(happened, {}, 0, happened.length)) {
    read(page, [frame]);
    const once = page.roots();
    if (frame.id) read(page, [frame]);
    assert.equal(page.roots(), once, "the very same, so that nothing is drawn or kept twice");
  }
  assert.deepEqual(page.roots(), whole);
});

test("a place that the server does not know brings a resync of that root, and the same state", () => {
  for (let cut = 0; cut <= happened.length; cut++) {
    const page = aPage();
    read(page, connection(happened, {}, 0, cut));
    read(page, connection(happened, { ...page.place(), A: 999 }, cut, happened.length));
    assert.deepEqual(page.roots(), whole, `cut after ${cut}`);
  }
});

test("a cursor that cannot be read brings a resync of everything that is going", () => {
  const page = aPage();
  read(page, connection(happened, {}, 0, 20));
  read(page, connection(happened, null, 20, happened.length));
  assert.deepEqual(page.roots(), whole);
});

test("runs that wait for the learner are told, the longest first, until they go on", () => {
  const asked = happened.findIndex(({ event }) => event.kind === "waiting_on_human");
  const page = aPage();
  read(page, connection(happened, {}, 0, asked + 1));
  assert.deepEqual(
    waitingRunsIn(page.roots()).map(({ runId, rootId, question }) => [runId, rootId, question]),
    [["A", "A", "Which?"]],
  );
  read(page, connection(happened, page.place(), asked + 1, asked + 3));
  assert.deepEqual(waitingRunsIn(page.roots()), []);
});

test("an event of no run changes nothing", () => {
  const roots = runsAfter({}, { kind: "usage", seq: null, rootId: undefined });
  assert.deepEqual(roots, {});
});
