// @ts-check
/** A stream in pieces, where none can be held open or none comes through: what there is, asked for again and again. */

const EVERY_MS = 1_500;

/** @typedef {{ type: string, lastEventId: string, data: string }} Frame one event as it came */

/** The events of a stream that has ended. Pure. @param {string} text @returns {Frame[]} */
export function framesOf(text) {
  const blocks = text.split("\n\n").map((block) => Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/, 2))));
  return blocks.filter((fields) => "data" in fields).map((fields) => ({ type: fields.event, lastEventId: fields.id ?? "", data: fields.data }));
}

/** What there is of a stream now. Raises Refused for a status that is no success, and what `fetch` does. @param {string} url @param {AbortSignal} [signal] */
export async function piece(url, signal) {
  const answer = await fetch(url, { signal, cache: "no-store" });
  if (!answer.ok) throw new Refused(url);
  return framesOf(await answer.text());
}

class Refused extends Error {}

/** Looks like an EventSource to who listens, and asks for one piece after the other. */
export class Polled {
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

  /** @param {() => string} next the address of the next piece */
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
      this.#tell(await piece(this.url, this.#given.signal));
    } catch (error) {
      if (this.readyState === EventSource.CLOSED) return; // it was closed meanwhile
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
