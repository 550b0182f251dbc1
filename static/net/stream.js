// @ts-check
/** Event stream client: detects silence, reconnects at its position, closes at the last event. */

import { canShareSlots, acquireSlot } from "./connection_slots.js";
import { DURABLE, EPHEMERAL } from "./cursors.js";
import { watchPage } from "./page_lifecycle.js";
import { fetchFrames, PollingSource } from "./polling.js";

/** @import { RunEvent } from "../types.d.ts" */
/** @import { Cursor } from "./cursors.js" */

const SILENCE_MS = 40_000;
const STALE_MS = 15_000;
const LOOK_EVERY_MS = 2_000;
/** Silence after which a stream may be buffered by a proxy; doubles each time that it was not. */
const DOUBT_MS = 2_000;
const LONGEST_DOUBT_MS = 32_000;
/** Time for polled events to arrive on the stream too. */
const LATE_MS = 1_000;
/** Time for which a buffered stream is replaced by polling. */
const HELD_BACK_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/**
 * Exponential backoff with jitter, in ms.
 * @param {number} attempt from 0
 * @param {number} chance 0..1
 */
export const backoffMs = (attempt, chance) =>
  Math.round(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + chance / 2));

/**
 * @typedef {{ state: "open" | "offline" | "done" } | { state: "waiting", untilMs: number, crowded?: boolean }}
 *   StreamState
 * @typedef {{ retry: boolean, waitMs?: number }} RefusalDecision `waitMs`: the wait that the server asks for
 * @typedef {{
 *   onEvent: (event: RunEvent) => void,
 *   onState: (line: StreamState) => void,
 *   onRefused: (url: string) => Promise<RefusalDecision>,
 * }} Listener `onRefused`: the server answered without a stream
 */

/**
 * Follow a stream to its last event.
 * @param {Cursor} cursor
 * @param {Listener} listener
 * @returns {{ stop: () => void, reconnect: () => void }} `reconnect` opens it again at once
 */
export function follow(cursor, listener) {
  /** @type {EventSource | PollingSource | null} */
  let source = null;
  /** Releases the connection slot. @type {(() => void) | null} */
  let releaseSlot = null;
  let probeAfterMs = DOUBT_MS;
  let heldBackUntilMs = 0;
  let opening = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let attempt = 0;
  let heardMs = Date.now();
  let over = false;

  const onMessage = (/** @type {import("./polling.js").Frame} */ message) => {
    heardMs = Date.now();
    attempt = 0;
    probeAfterMs = DOUBT_MS;
    const event = cursor.read(message.type, message.lastEventId, message.data);
    if (event.kind === "reconnect") return reconnectAfter(event.retryMs);
    listener.onEvent(event);
    if (cursor.isLast(event)) end();
  };

  const open = () => {
    clearTimeout(timer);
    source?.close();
    heardMs = Date.now();
    opening++;
    if (!cursor.pieceUrl) return listenTo(new EventSource(cursor.url()));
    if (Date.now() < heldBackUntilMs) return listenTo(new PollingSource(cursor.pieceUrl));
    if (releaseSlot || !canShareSlots()) return listenTo(new EventSource(cursor.url()));
    return openIfSlotIsFree(opening, cursor.pieceUrl);
  };

  /** Open a stream if a slot is free, else poll. */
  const openIfSlotIsFree = async (/** @type {number} */ mine, /** @type {() => string} */ pieceUrl) => {
    await claimSlot();
    if (over || mine !== opening) return;
    listenTo(releaseSlot ? new EventSource(cursor.url()) : new PollingSource(pieceUrl));
  };

  const listenTo = (/** @type {EventSource | PollingSource} */ opened) => {
    source = opened;
    for (const kind of [...DURABLE, ...EPHEMERAL]) opened.addEventListener(kind, onMessage);
    opened.onopen = () => {
      heardMs = Date.now();
      listener.onState({ state: "open" });
    };
    opened.onerror = () => failed(opened);
  };

  const claimSlot = async () => {
    const mine = opening,
      place = await acquireSlot();
    if (releaseSlot || over || mine !== opening) place?.();
    else releaseSlot = place;
  };

  const failed = async (/** @type {EventSource | PollingSource} */ lost) => {
    const refused = lost.readyState === EventSource.CLOSED;
    lost.close();
    if (over || lost !== source) return;
    const verdict = refused && attempt > 0 ? await listener.onRefused(lost.url) : { retry: true };
    if (over || lost !== source) return; // reopened meanwhile
    if (!verdict.retry) return end();
    wait(verdict.waitMs ?? backoffMs(attempt, Math.random()), verdict.waitMs !== undefined);
    attempt++;
  };

  const wait = (/** @type {number} */ waitMs, crowded = false) => {
    source?.close();
    clearTimeout(timer);
    if (!navigator.onLine) return listener.onState({ state: "offline" });
    listener.onState({ state: "waiting", untilMs: Date.now() + waitMs, ...(crowded && { crowded }) });
    timer = setTimeout(open, waitMs);
  };

  /** The server asked to reconnect: nothing is lost, so the state stays. */
  const reconnectAfter = (/** @type {number} */ waitMs) => {
    disconnect();
    timer = setTimeout(open, waitMs);
  };

  const checkSilence = () => {
    const silentMs = Date.now() - heardMs;
    if (silentMs > SILENCE_MS && source?.readyState === EventSource.OPEN) open();
    else if (source instanceof PollingSource) backToStream();
    else if (cursor.pieceUrl && source && source.readyState !== EventSource.CLOSED && silentMs > probeAfterMs)
      probeForHeldBackEvents(source, cursor.pieceUrl());
  };

  /** Return from polling to a stream once a slot is free and the hold-back is over. */
  const backToStream = async () => {
    if (Date.now() < heldBackUntilMs) return;
    const mine = opening;
    if (!releaseSlot) await claimSlot();
    if (releaseSlot && mine === opening && source instanceof PollingSource) open();
  };

  /** Check whether the server has events that the stream did not deliver: then a proxy buffers it. */
  const probeForHeldBackEvents = async (/** @type {EventSource} */ doubted, /** @type {string} */ url) => {
    const beforeMs = heardMs;
    probeAfterMs = Math.min(LONGEST_DOUBT_MS, 2 * probeAfterMs);
    try {
      if (!(await fetchFrames(url)).some(({ type }) => DURABLE.includes(type))) return;
    } catch {
      return; // unreachable or refused: the stream will fail by itself
    }
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (over || source !== doubted || doubted.readyState === EventSource.CLOSED || heardMs !== beforeMs) return;
    heldBackUntilMs = Date.now() + HELD_BACK_MS;
    releaseHeldSlot();
    open();
  };

  const onOffline = () => {
    source?.close();
    clearTimeout(timer);
    listener.onState({ state: "offline" });
  };
  const disconnect = () => {
    opening++;
    source?.close();
    clearTimeout(timer);
    releaseHeldSlot();
  };
  const releaseHeldSlot = () => {
    releaseSlot?.();
    releaseSlot = null;
  };
  const onVisible = () => {
    if (Date.now() - heardMs > STALE_MS || source?.readyState === EventSource.CLOSED) open();
  };

  const end = () => {
    if (over) return;
    over = true;
    disconnect();
    clearInterval(watch);
    stopWatchingPage();
    listener.onState({ state: "done" });
  };

  const watch = setInterval(checkSilence, LOOK_EVERY_MS);
  const stopWatchingPage = watchPage({ onBack: open, onVisible, onOffline, onLeave: disconnect });
  const reconnect = () => {
    probeAfterMs = DOUBT_MS;
    open();
  };
  open();
  return { stop: end, reconnect };
}
