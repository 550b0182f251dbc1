// @ts-check
/** Libraries that come when a text first needs them. */

import { signal } from "@preact/signals";

/**
 * A library that is fetched when it is first asked for. A view that asks is drawn again when it is there.
 * @template T @param {() => Promise<T>} fetched @returns {() => T | null} null until it is there
 */
export function needed(fetched) {
  const found = signal(/** @type {T | null} */ (null));
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      fetched().then((library) => { found.value = library; }, () => { isAsked = false; }); // the network is away: the next look asks again
    }
    return found.value;
  };
}
