// @ts-check
/** A stream of events: opens, notices silence, comes back by itself where it was, and closes at its last event. */

import { DURABLE, PASSING } from "./cursors.js";

/** @import { RunEvent } from "./types.d.ts" */
/** @import { Cursor } from "./cursors.js" */

const SILENCE_MS = 40_000;
const STALE_MS = 15_000;
const LOOK_EVERY_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A browser has few connections for one server: a page that nobody has looked at for this long gives its own back. */
const UNSEEN_MS = 60_000;

/** How long to wait before the next attempt: doubling, with a random part so that many pages do not return at once. @param {number} attempt from 0 @param {number} chance 0..1 */
export const backOff = (attempt, chance) => Math.round(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + chance / 2));

/**
 * @typedef {{ state: "open" | "offline" | "done" } | { state: "waiting", untilMs: number, crowded?: boolean }} Line
 * @typedef {{ goOn: boolean, waitMs?: number }} Verdict `waitMs`: how long the server wants to be left alone, having too many streams
 * @typedef {{ onEvent: (event: RunEvent) => void, onLine: (line: Line) => void, onRefused: (url: string) => Promise<Verdict> }} Listener
 *   `onRefused` is asked when the server answered without a stream
 */

/** Follow a stream to its last event. @param {Cursor} cursor @param {Listener} listener @returns {{ stop: () => void, again: () => void }} `again` opens it anew at once */
export function follow(cursor, listener) {
  /** @type {EventSource | null} */
  let source = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let unseen;
  let attempt = 0;
  let heardMs = Date.now();
  let over = false;

  const take = (/** @type {MessageEvent} */ message) => {
    heardMs = Date.now();
    attempt = 0;
    const event = cursor.read(message.type, message.lastEventId, message.data);
    if (event.kind === "reconnect") return moveOn(event.retryMs);
    listener.onEvent(event);
    if (cursor.isLast(event)) end();
  };

  const open = () => {
    clearTimeout(timer);
    source?.close();
    heardMs = Date.now();
    const opened = new EventSource(cursor.url());
    source = opened;
    for (const kind of [...DURABLE, ...PASSING]) opened.addEventListener(kind, take);
    opened.onopen = () => { heardMs = Date.now(); listener.onLine({ state: "open" }); };
    opened.onerror = () => failed(opened);
  };

  const failed = async (/** @type {EventSource} */ lost) => {
    const refused = lost.readyState === EventSource.CLOSED;
    lost.close();
    if (over || lost !== source) return;
    const verdict = refused && attempt > 0 ? await listener.onRefused(lost.url) : { goOn: true };
    if (over || lost !== source) return; // opened anew meanwhile
    if (!verdict.goOn) return end();
    wait(verdict.waitMs ?? backOff(attempt, Math.random()), verdict.waitMs !== undefined);
    attempt++;
  };

  const wait = (/** @type {number} */ waitMs, crowded = false) => {
    source?.close();
    clearTimeout(timer);
    if (!navigator.onLine) return listener.onLine({ state: "offline" });
    listener.onLine({ state: "waiting", untilMs: Date.now() + waitMs, ...(crowded && { crowded }) });
    timer = setTimeout(open, waitMs);
  };

  /** The server ends its stream and waits for us: nothing is lost, so nothing is said. */
  const moveOn = (/** @type {number} */ waitMs) => {
    leave();
    timer = setTimeout(open, waitMs);
  };

  const look = () => { if (Date.now() - heardMs > SILENCE_MS && source?.readyState === EventSource.OPEN) open(); };
  const lost = () => { source?.close(); clearTimeout(timer); listener.onLine({ state: "offline" }); };
  const leave = () => { source?.close(); clearTimeout(timer); };
  const wake = () => {
    clearTimeout(unseen);
    if (document.visibilityState !== "visible") { unseen = setTimeout(leave, UNSEEN_MS); return; }
    if (Date.now() - heardMs > STALE_MS || source?.readyState === EventSource.CLOSED) open();
  };
  const shown = (/** @type {PageTransitionEvent} */ event) => { if (event.persisted) open(); };

  const end = () => {
    if (over) return;
    over = true;
    leave();
    clearTimeout(unseen);
    clearInterval(watch);
    removeEventListener("online", open);
    removeEventListener("offline", lost);
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", shown);
    document.removeEventListener("visibilitychange", wake);
    listener.onLine({ state: "done" });
  };

  const watch = setInterval(look, LOOK_EVERY_MS);
  addEventListener("online", open);
  addEventListener("offline", lost);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", shown);
  document.addEventListener("visibilitychange", wake);
  open();
  return { stop: end, again: open };
}
