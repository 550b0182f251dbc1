import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { DURABLE, EPHEMERAL, runCursor, tabCursor } from "../../../../static/net/cursors.js";
import { backoffMs, follow } from "../../../../static/net/stream.js";

/** The browser's EventSource as far as the page uses it; the test plays the server. */
class Source {
  static CLOSED = 2;
  static OPEN = 1;
  static all = [];
  readyState = 1;
  handlers = new Map();
  constructor(url) {
    this.url = url;
    Source.all.push(this);
  }
  addEventListener(kind, handler) {
    this.handlers.set(kind, handler);
  }
  close() {
    this.readyState = 2;
  }
  send(kind, data, lastEventId = "") {
    this.handlers.get(kind)({ type: kind, data: JSON.stringify(data), lastEventId });
  }
  async fail(refused) {
    this.readyState = refused ? 2 : 0;
    await this.onerror();
  }
}

/** The browser's BroadcastChannel: what one page says, all others hear. */
class Channel {
  static all = new Set();
  constructor(name) {
    this.name = name;
    Channel.all.add(this);
  }
  postMessage(data) {
    for (const other of Channel.all) if (other !== this && other.name === this.name) other.onmessage?.({ data });
  }
  close() {
    Channel.all.delete(this);
  }
}

const last = () => Source.all.at(-1);
const url = () => runCursor((after) => `/events?after=${after}`);
let listeners;

beforeEach(() => {
  Source.all = [];
  Channel.all.clear();
  listeners = new Map();
  globalThis.BroadcastChannel = Channel;
  globalThis.EventSource = Source;
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true, writable: true });
  globalThis.addEventListener = (name, handler, { signal }) => {
    listeners.set(name, handler);
    signal.addEventListener("abort", () => listeners.delete(name));
  };
  globalThis.document = { visibilityState: "visible", addEventListener: globalThis.addEventListener };
});

const listening = (refused = async () => ({ retry: true })) => {
  const seen = { events: [], lines: [] };
  return {
    seen,
    onEvent: (event) => seen.events.push(event),
    onState: (line) => seen.lines.push(line.state),
    onRefused: refused,
  };
};

test("only kept events take their number from the SSE id", () => {
  const { read } = url();
  assert.deepEqual(read("agent_done", "7", '{"agent":"topic"}'), { agent: "topic", kind: "agent_done", seq: 7 });
  assert.equal(read("agent_reasoning_delta", "7", '{"text":"x"}').seq, null);
  assert.equal(read("agent_done", "", "{}").seq, null);
});

test("the tab's cursor is the last id, and an event's number is its root's in it", () => {
  const { read, url: next } = tabCursor(
    (after) => after,
    () => [],
  );
  assert.equal(read("agent_start", "A:1", '{"rootId":"A"}').seq, 1);
  assert.equal(read("agent_start", "A:1,B:1", '{"rootId":"B"}').seq, 1);
  assert.equal(read("agent_reasoning_delta", "A:1,B:1", '{"rootId":"A"}').seq, null);
  assert.equal(read("usage", "A:2,B:1", '{"rootId":"A"}').seq, 2);
  assert.equal(next(), "A:2,B:1");
});

test("a root that has ended is asked for no more, whether its last id names it or not", () => {
  for (const id of ["A:3,B:1", "B:1", "A:2,B:1"]) {
    const { read, url: next } = tabCursor(
      (after) => after,
      () => [],
    );
    read("usage", "A:2,B:1", '{"rootId":"A"}');
    assert.equal(read("run_done", id, '{"rootId":"A"}').seq, 3, id);
    assert.equal(next(), "B:1");
  }
});

test("a resync takes its root out of the cursor; one without a root takes all", () => {
  const { read, url: next } = tabCursor(
    (after) => after,
    () => [],
  );
  read("usage", "A:2,B:1", '{"rootId":"A"}');
  read("resync", "A:2,B:1", '{"rootId":"A","why":"cut"}');
  assert.equal(next(), "B:1");
  read("resync", "", '{"rootId":null,"why":"cut"}');
  assert.equal(next(), "");
});

test("a run that is watched and has told nothing yet is asked for by name from its start", () => {
  const { read, url: next } = tabCursor(
    (after) => after,
    () => ["A", "W"],
  );
  read("usage", "A:2", '{"rootId":"A"}');
  assert.equal(next(), "A:2,W:0");
});

test("no kind is both kept and passing", () => {
  assert.deepEqual(
    DURABLE.filter((kind) => EPHEMERAL.includes(kind)),
    [],
  );
});

test("waits double up to a limit, and chance keeps pages apart", () => {
  assert.deepEqual(
    [0, 1, 2].map((attempt) => backoffMs(attempt, 1)),
    [500, 1000, 2000],
  );
  assert.equal(backoffMs(20, 1), 15_000);
  assert.equal(backoffMs(20, 0), 7_500);
});

test("a lost line is opened again after the last number, not before", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const listener = listening();
  follow(url(), listener);
  assert.equal(last().url, "/events?after=0");
  last().send("agent_start", {}, "3");
  last().send("agent_reasoning_delta", { text: "x" }, "3");
  await last().fail(false);
  t.mock.timers.tick(1000);
  assert.equal(Source.all.length, 2);
  assert.equal(last().url, "/events?after=3");
});

test("the stream closes at run_done and does not open again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const listener = listening();
  follow(url(), listener);
  last().send("run_done", { status: "completed" }, "9");
  t.mock.timers.tick(120_000);
  assert.equal(Source.all.length, 1);
  assert.equal(last().readyState, Source.CLOSED);
  assert.equal(listener.seen.lines.at(-1), "done");
  assert.equal(listeners.size, 0);
});

test("a server that goes away says when to come back", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const listener = listening();
  follow(url(), listener);
  last().send("reconnect", { retryMs: 2000 });
  t.mock.timers.tick(1999);
  assert.equal(Source.all.length, 1);
  t.mock.timers.tick(1);
  assert.equal(Source.all.length, 2);
  assert.deepEqual(listener.seen.events, []);
});

test("forty seconds of silence open the line again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  follow(url(), listening());
  t.mock.timers.tick(40_000);
  assert.equal(Source.all.length, 1);
  t.mock.timers.tick(5_000);
  assert.equal(Source.all.length, 2);
});

test("a resync asks for everything again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  follow(url(), listening());
  last().send("agent_start", {}, "12");
  last().send("resync", { why: "cut" });
  await last().fail(false);
  t.mock.timers.tick(1000);
  assert.equal(last().url, "/events?after=0");
});

test("offline it waits for the network, online it opens at once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const listener = listening();
  follow(url(), listener);
  globalThis.navigator.onLine = false;
  await last().fail(false);
  t.mock.timers.tick(60_000);
  assert.equal(Source.all.length, 1);
  assert.equal(listener.seen.lines.at(-1), "offline");
  listeners.get("online")();
  assert.equal(Source.all.length, 2);
});

test("a run that is gone is given up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const listener = listening(async () => ({ retry: false }));
  follow(url(), listener);
  await last().fail(true);
  t.mock.timers.tick(1000);
  await last().fail(true);
  t.mock.timers.tick(60_000);
  assert.equal(Source.all.length, 2);
  assert.equal(listener.seen.lines.at(-1), "done");
});

test("a page that comes back from sleep opens the line again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  follow(url(), listening());
  t.mock.timers.tick(20_000);
  listeners.get("visibilitychange")();
  assert.equal(Source.all.length, 2);
});

test("a page that nobody looks at gives its connection back, and opens it when it is seen again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  follow(url(), listening());
  globalThis.document.visibilityState = "hidden";
  listeners.get("visibilitychange")();
  t.mock.timers.tick(59_000);
  assert.equal(last().readyState, Source.OPEN);
  t.mock.timers.tick(1_000);
  assert.equal(last().readyState, Source.CLOSED);
  const opened = Source.all.length;
  t.mock.timers.tick(300_000);
  assert.equal(Source.all.length, opened);
  globalThis.document.visibilityState = "visible";
  listeners.get("visibilitychange")();
  assert.equal(Source.all.length, opened + 1);
});

test("a page that comes out of the browser's cache opens the line again", () => {
  const following = follow(url(), listening());
  listeners.get("pagehide")();
  assert.equal(last().readyState, Source.CLOSED);
  listeners.get("pageshow")({ persisted: true });
  assert.equal(Source.all.length, 2);
  following.stop();
});

test("a refusal for too many streams is waited out as long as the server wants, and said", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const lines = [];
  follow(url(), {
    onEvent: () => {},
    onState: (line) => lines.push(line),
    onRefused: async () => ({ retry: true, waitMs: 30_000 }),
  });
  await last().fail(true);
  t.mock.timers.tick(500);
  await last().fail(true);
  assert.deepEqual([lines.at(-1).state, lines.at(-1).crowded], ["waiting", true]);
  t.mock.timers.tick(29_999);
  assert.equal(Source.all.length, 2);
  t.mock.timers.tick(1);
  assert.equal(Source.all.length, 3);
});

test("N14: of the pages out of sight only the last keeps its connection, so that a seventh page gets one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const inSight = globalThis.document;
  const pages = [];
  for (let number = 1; number <= 7; number++) {
    const { watchPage } = await import(`../../../../static/net/page_lifecycle.js?page=${number}`);
    globalThis.document = inSight;
    const page = { open: true };
    watchPage({
      onVisible: () => {
        page.open = true;
      },
      onLeave: () => {
        page.open = false;
      },
      onBack() {},
      onOffline() {},
    });
    page.turn = listeners.get("visibilitychange");
    pages.push(page);
    globalThis.document = { ...inSight, visibilityState: "hidden" };
    page.turn();
  }
  assert.deepEqual(
    pages.map(({ open }) => open),
    [false, false, false, false, false, false, true],
  );
  globalThis.document = inSight;
  pages[2].turn();
  assert.deepEqual(
    pages.map(({ open }) => open),
    [false, false, true, false, false, false, true],
  );
});

test("N14: a page in sight keeps its connection whichever others go, and one out of sight goes by no stream of its own", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const [one, other] = [follow(url(), listening()), follow(url(), listening())];
  new Channel("sprout-out-of-sight").postMessage(0);
  globalThis.document = { ...globalThis.document, visibilityState: "hidden" };
  listeners.get("visibilitychange")();
  assert.deepEqual(
    Source.all.map(({ readyState }) => readyState),
    [Source.OPEN, Source.OPEN],
  );
  one.stop();
  other.stop();
  assert.equal(Channel.all.size, 1);
});
