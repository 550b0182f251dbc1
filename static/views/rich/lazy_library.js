// @ts-check
/** Libraries that are loaded on first use. */

import { signal } from "@preact/signals";

/**
 * A getter that loads a library on its first call. Views that call it render again once it is loaded.
 * @template T @param {() => Promise<T>} fetched @returns {() => T | null} null until it is loaded
 */
export function lazyLibrary(fetched) {
  const found = signal(/** @type {T | null} */ (null));
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      fetched().then(
        (library) => {
          found.value = library;
        },
        () => {
          isAsked = false;
        },
      ); // offline: the next render tries again
    }
    return found.value;
  };
}
