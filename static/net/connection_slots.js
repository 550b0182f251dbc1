// @ts-check
/** Connection slots for streams: under HTTP/1.1 a browser's pages share six connections to a server. */

/** Number of pages that may hold a stream open; the other connections serve requests. */
const SLOTS = 3;

/** Whether the browser has locks, which it has in secure contexts only. */
export const canShareSlots = () => "locks" in navigator;

/**
 * Take a slot; the browser releases those of closed pages.
 * @returns {Promise<(() => void) | null>} releases it; null if all are taken
 */
export async function acquireSlot() {
  for (let number = 1; number <= SLOTS; number++) {
    const giveBack = await acquireLock(`sprout-stream-${number}`);
    if (giveBack) return giveBack;
  }
  return null;
}

/** @param {string} name @returns {Promise<(() => void) | null>} */
const acquireLock = (name) =>
  new Promise((resolve, reject) => {
    const hold = (/** @type {Lock | null} */ lock) =>
      lock
        ? new Promise((/** @type {(_: undefined) => void} */ free) => resolve(() => free(undefined)))
        : resolve(null);
    navigator.locks.request(name, { ifAvailable: true }, hold).catch(reject);
  });
