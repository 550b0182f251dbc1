// @ts-check
/** Computed signal that keeps its object while its JSON is equal, so that streaming does not redraw its readers. */

import { computed } from "@preact/signals";

/**
 * @template T
 * @param {() => T} job plain data, as JSON has it
 * @returns {import("@preact/signals").ReadonlySignal<T>}
 */
export function memo(job) {
  /** @type {T} */
  let kept;
  let said = "";
  return computed(() => {
    const next = job();
    const words = JSON.stringify(next);
    if (words !== said) [kept, said] = [next, words];
    return kept;
  });
}
