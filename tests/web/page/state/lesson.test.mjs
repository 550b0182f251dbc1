import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener = () => {};
globalThis.document = { visibilityState: "visible", documentElement: { lang: "en" }, addEventListener() {} };
Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });

const settled = async () => {
  for (let turn = 0; turn < 80; turn++) await null;
};
const message = { id: "m1", sessionId: "s1", role: "assistant", kind: "learning", content: "Hello.", citations: [] };
const session = { id: "s1", nodeId: "n1", startedAt: "2026-01-01T00:00:00Z", endedAt: null };
const lessonOf = (chunk) => ({ chunk, question: null, mastery: 0, plan: [], cards: [], completed: false });

/** A server whose first answer under a path waits until it is let go. */
function serverThatHolds(path, bodyOf) {
  const held = [];
  const posted = [];
  globalThis.fetch = async (url, init) => {
    if (init?.method === "POST") posted.push(url);
    const answer = bodyOf(url, init);
    if (url.includes(path) && !held.length) await new Promise((resolve) => held.push(resolve));
    return { ok: true, status: 200, headers: new Headers(), json: async () => answer };
  };
  return { held, posted };
}

test("a page that is back on the line while it loads begins no second session", async () => {
  const { held, posted } = serverThatHolds("/sessions", (url, init) => {
    if (url.includes("/messages")) return [message];
    if (url.includes("/lesson")) return lessonOf(1);
    return init?.method === "POST" ? session : [];
  });
  const { openLesson } = await import("../../../../static/state/lesson.js");
  const lesson = openLesson("n1");
  await settled();
  const again = lesson.again();
  await settled();
  held[0]();
  await again;
  await settled();
  assert.deepEqual(posted, ["/api/chat/sessions"]);
  assert.equal(lesson.turns.value.length, 1);
  lesson.close();
});

test("what was asked for earlier and comes later does not take the place of what is newer", async () => {
  let isNew = false;
  const { held, posted } = serverThatHolds("/lesson", (url) => {
    if (url.includes("/messages")) return isNew ? [message] : [];
    return url.includes("/lesson") ? lessonOf(isNew ? 2 : 1) : [session];
  });
  const { openLesson } = await import("../../../../static/state/lesson.js");
  const { connection } = await import("../../../../static/net/connection.js");
  const lesson = openLesson("n1");
  await settled();
  isNew = true;
  connection.value = { ...connection.value, state: "open" }; // back on the line: everything is asked for again
  await settled();
  assert.equal(lesson.state.value.chunk, 2);
  held[0]();
  await settled();
  assert.equal(lesson.state.value.chunk, 2);
  assert.equal(lesson.turns.value.length, 1);
  assert.deepEqual(posted, [], "a lesson that has begun is not opened again");
  lesson.close();
});
