// @ts-check
/** Room for streams: under HTTP/1.1 a browser has six connections for one server, and all its pages share them. */

/** So many pages hold a stream open; the connections that are left bring pages, files and answers to all others. */
const PLACES = 3;

/** Whether pages can tell each other which places are taken: browsers let them only where the address is safe. */
export const isShared = () => "locks" in navigator;

/** Take a place; the browser gives back what a page has that is gone. @returns {Promise<(() => void) | null>} gives it back; null where all are taken */
export async function taken() {
  for (let number = 1; number <= PLACES; number++) {
    const giveBack = await locked(`sprout-stream-${number}`);
    if (giveBack) return giveBack;
  }
  return null;
}

/** @param {string} name @returns {Promise<(() => void) | null>} */
const locked = (name) => new Promise((resolve, reject) => {
  const hold = (/** @type {Lock | null} */ lock) => (lock ? new Promise((/** @type {(_: undefined) => void} */ free) => resolve(() => free(undefined))) : resolve(null));
  navigator.locks.request(name, { ifAvailable: true }, hold).catch(reject);
});
