import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { tabCursor } from "../../../../static/net/cursors.js";
import { parseFrames } from "../../../../static/net/polling.js";
import { follow } from "../../../../static/net/stream.js";

/** The browser's EventSource as far as the page uses it; here it is always open and silent. */
class Source {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 2;
  static all = [];
  readyState = 1;
  constructor(url) {
    this.url = url;
    Source.all.push(this);
  }
  addEventListener() {}
  close() {
    this.readyState = 2;
  }
}

/** The browser's locks: one page after the other. */
class Locks {
  held = new Map();
  async request(name, options, job) {
    if (this.held.has(name)) return job(null);
    this.held.set(name, true);
    await job({ name });
    this.held.delete(name);
  }
}

const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await null;
};
const cursor = () =>
  tabCursor(
    (after, on = true) => `${on ? "stream" : "piece"}:${after}`,
    () => [],
  );
const listening = () => {
  const heard = [];
  return {
    heard,
    onEvent: (event) => heard.push(event.kind),
    onState: () => {},
    onRefused: async () => ({ retry: true }),
  };
};
const started = 'id: A:1\nevent: run_started\ndata: {"rootId":"A","text":"x: y"}\n\n';
let asked, answer;

beforeEach(() => {
  Source.all = [];
  asked = [];
  answer = "";
  globalThis.EventSource = Source;
  globalThis.BroadcastChannel = class {
    postMessage() {}
    close() {}
  };
  globalThis.fetch = async (url) => {
    asked.push(url);
    return { ok: true, text: async () => answer };
  };
  globalThis.addEventListener = () => {};
  globalThis.document = { visibilityState: "visible", addEventListener() {} };
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true, locks: new Locks() }, configurable: true });
});

test("N13: a piece is read as its frames, whatever stands in their data", () => {
  assert.deepEqual(parseFrames(`retry: 2000\n\n: ping\n\n${started}event: message_delta\ndata: {"text":": 1"}\n\n`), [
    { type: "run_started", lastEventId: "A:1", data: '{"rootId":"A","text":"x: y"}' },
    { type: "message_delta", lastEventId: "", data: '{"text":": 1"}' },
  ]);
  assert.deepEqual(parseFrames(""), []);
});

test("N14: where three pages hold a stream a fourth asks for pieces, and takes the place of one that goes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const pages = [1, 2, 3].map(() => follow(cursor(), listening()));
  await settled();
  assert.equal(Source.all.length, 3);
  const listener = listening();
  answer = started;
  const fourth = follow(cursor(), listener);
  await settled();
  assert.deepEqual([Source.all.length, asked, listener.heard], [3, ["piece:"], ["run_started"]]);
  answer = "";
  t.mock.timers.tick(1_500);
  await settled();
  assert.deepEqual(asked, ["piece:", "piece:A:1"]);
  pages[1].stop();
  await settled();
  t.mock.timers.tick(2_000);
  await settled();
  assert.equal(Source.all.length, 4);
  assert.equal(Source.all.at(-1).url, "stream:A:1");
  [pages[0], pages[2], fourth].forEach((page) => page.stop());
  await settled();
  assert.equal(navigator.locks.held.size, 0);
});

test("N13: a stream that does not tell what the server has is left for a minute; one that has nothing to tell is not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const pass = async (ms) => {
    t.mock.timers.tick(ms);
    await settled();
  };
  const listener = listening();
  const page = follow(cursor(), listener);
  await settled();
  await pass(4_000);
  await pass(1_000);
  assert.deepEqual([asked, Source.all[0].readyState], [["piece:"], Source.OPEN], "it has nothing to tell");
  answer = started;
  for (let each = 0; each < 8 && Source.all[0].readyState === Source.OPEN; each++) await pass(1_000);
  assert.equal(Source.all[0].readyState, Source.CLOSED);
  assert.deepEqual(listener.heard, ["run_started"]);
  answer = "";
  for (let each = 0; each < 55; each++) await pass(1_000);
  assert.equal(Source.all.length, 1);
  for (let each = 0; each < 10; each++) await pass(1_000);
  assert.equal(Source.all.length, 2);
  page.stop();
});
