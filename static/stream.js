// @ts-check
/** A stream of events: opens, notices silence, comes back by itself where it was, and closes at its last event. */

import { DURABLE, PASSING } from "./cursors.js";
import { watchPage } from "./page.js";
import { piece, Polled } from "./polled.js";
import { isShared, taken } from "./room.js";

/** @import { RunEvent } from "./types.d.ts" */
/** @import { Cursor } from "./cursors.js" */

const SILENCE_MS = 40_000;
const STALE_MS = 15_000;
const LOOK_EVERY_MS = 2_000;
/** A stream that is silent for so long may be held back on its way; each time that it was not, twice as long may pass. */
const DOUBT_MS = 2_000;
const LONGEST_DOUBT_MS = 32_000;
/** What was asked for in one piece may be on its way in the stream too. */
const LATE_MS = 1_000;
/** For so long a stream that was held back is not tried again. */
const HELD_BACK_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

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
  /** @type {EventSource | Polled | null} */
  let source = null;
  /** Gives back the place among the pages that hold a stream open. @type {(() => void) | null} */
  let giveBack = null;
  let doubtMs = DOUBT_MS;
  let heldBackUntilMs = 0;
  let opening = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let attempt = 0;
  let heardMs = Date.now();
  let over = false;

  const take = (/** @type {import("./polled.js").Frame} */ message) => {
    heardMs = Date.now();
    attempt = 0;
    doubtMs = DOUBT_MS;
    const event = cursor.read(message.type, message.lastEventId, message.data);
    if (event.kind === "reconnect") return moveOn(event.retryMs);
    listener.onEvent(event);
    if (cursor.isLast(event)) end();
  };

  const open = () => {
    clearTimeout(timer);
    source?.close();
    heardMs = Date.now();
    opening++;
    if (!cursor.pieceUrl) return listenTo(new EventSource(cursor.url()));
    if (Date.now() < heldBackUntilMs) return listenTo(new Polled(cursor.pieceUrl));
    if (giveBack || !isShared()) return listenTo(new EventSource(cursor.url()));
    return openWhereThereIsRoom(opening, cursor.pieceUrl);
  };

  /** Only some pages hold a stream open: each takes a connection from all the others. */
  const openWhereThereIsRoom = async (/** @type {number} */ mine, /** @type {() => string} */ pieceUrl) => {
    await takePlace();
    if (over || mine !== opening) return;
    listenTo(giveBack ? new EventSource(cursor.url()) : new Polled(pieceUrl));
  };

  const listenTo = (/** @type {EventSource | Polled} */ opened) => {
    source = opened;
    for (const kind of [...DURABLE, ...PASSING]) opened.addEventListener(kind, take);
    opened.onopen = () => { heardMs = Date.now(); listener.onLine({ state: "open" }); };
    opened.onerror = () => failed(opened);
  };

  const takePlace = async () => {
    const mine = opening, place = await taken();
    if (giveBack || over || mine !== opening) place?.();
    else giveBack = place;
  };

  const failed = async (/** @type {EventSource | Polled} */ lost) => {
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

  const look = () => {
    const silentMs = Date.now() - heardMs;
    if (silentMs > SILENCE_MS && source?.readyState === EventSource.OPEN) open();
    else if (source instanceof Polled) backToStream();
    else if (cursor.pieceUrl && source && source.readyState !== EventSource.CLOSED && silentMs > doubtMs) doubt(source, cursor.pieceUrl());
  };

  /** Once there is room, or it is time to see whether streams come through. */
  const backToStream = async () => {
    if (Date.now() < heldBackUntilMs) return;
    const mine = opening;
    if (!giveBack) await takePlace();
    if (giveBack && mine === opening && source instanceof Polled) open();
  };

  /** Does the server have something that the stream does not tell? Then it is held back, by a proxy say. */
  const doubt = async (/** @type {EventSource} */ doubted, /** @type {string} */ url) => {
    const beforeMs = heardMs;
    doubtMs = Math.min(LONGEST_DOUBT_MS, 2 * doubtMs);
    try {
      if (!(await piece(url)).some(({ type }) => DURABLE.includes(type))) return;
    } catch {
      return; // the server is away or wants to be left alone: the stream will fail by itself
    }
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (over || source !== doubted || doubted.readyState === EventSource.CLOSED || heardMs !== beforeMs) return;
    heldBackUntilMs = Date.now() + HELD_BACK_MS;
    leavePlace();
    open();
  };

  const lost = () => { source?.close(); clearTimeout(timer); listener.onLine({ state: "offline" }); };
  const leave = () => {
    opening++;
    source?.close();
    clearTimeout(timer);
    leavePlace();
  };
  const leavePlace = () => {
    giveBack?.();
    giveBack = null;
  };
  const seen = () => { if (Date.now() - heardMs > STALE_MS || source?.readyState === EventSource.CLOSED) open(); };

  const end = () => {
    if (over) return;
    over = true;
    leave();
    clearInterval(watch);
    forgetPage();
    listener.onLine({ state: "done" });
  };

  const watch = setInterval(look, LOOK_EVERY_MS);
  const forgetPage = watchPage({ back: open, seen, offline: lost, left: leave });
  const again = () => {
    doubtMs = DOUBT_MS;
    open();
  };
  open();
  return { stop: end, again };
}
