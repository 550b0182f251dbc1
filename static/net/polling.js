// @ts-check
/** Polling as a fallback for streams that cannot be held open or do not come through. */

const EVERY_MS = 1_500;

/** @typedef {{ type: string, lastEventId: string, data: string }} Frame one event as it came */

/** The events in a stream's text. Pure. @param {string} text @returns {Frame[]} */
export function parseFrames(text) {
  const blocks = text
    .split("\n\n")
    .map((block) => Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/, 2))));
  return blocks
    .filter((fields) => "data" in fields)
    .map((fields) => ({ type: fields.event, lastEventId: fields.id ?? "", data: fields.data }));
}

/**
 * The events that there are now. Throws Refused for a failed status, and what `fetch` throws.
 * @param {string} url
 * @param {AbortSignal} [signal]
 */
export async function fetchFrames(url, signal) {
  const answer = await fetch(url, { signal: signal ?? null, cache: "no-store" });
  if (!answer.ok) throw new Refused(url);
  return parseFrames(await answer.text());
}

class Refused extends Error {}

/** EventSource look-alike that polls. */
export class PollingSource {
  /** @type {number} */
  readyState = EventSource.CONNECTING;
  onopen = () => {};
  onerror = () => {};
  /** @type {Map<string, (frame: Frame) => void>} */
  #listeners = new Map();
  #given = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #next;

  /** @param {() => string} next the address to poll next */
  constructor(next) {
    this.#next = next;
    this.url = next();
    this.#ask();
  }

  /** @param {string} kind @param {(frame: Frame) => void} listener */
  addEventListener(kind, listener) {
    this.#listeners.set(kind, listener);
  }

  close() {
    this.readyState = EventSource.CLOSED;
    clearTimeout(this.#timer);
    this.#given.abort();
  }

  async #ask() {
    try {
      this.url = this.#next();
      this.#tell(await fetchFrames(this.url, this.#given.signal));
    } catch (error) {
      if (this.readyState === EventSource.CLOSED) return; // closed meanwhile
      this.readyState = error instanceof Refused ? EventSource.CLOSED : EventSource.CONNECTING;
      this.onerror();
    }
  }

  /** @param {Frame[]} frames */
  #tell(frames) {
    if (this.readyState === EventSource.CONNECTING) {
      this.readyState = EventSource.OPEN;
      this.onopen();
    }
    for (const frame of frames) {
      if (this.readyState !== EventSource.OPEN) return;
      this.#listeners.get(frame.type)?.(frame);
    }
    if (this.readyState === EventSource.OPEN) this.#timer = setTimeout(() => this.#ask(), EVERY_MS);
  }
}
