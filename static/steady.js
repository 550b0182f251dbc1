// @ts-check
/** A computed value that stays the same object as long as it says the same: who shows it is not drawn again in every frame of a stream. */

import { computed } from "@preact/signals";

/** @template T @param {() => T} job plain data, as JSON has it @returns {import("@preact/signals").ReadonlySignal<T>} */
export function steady(job) {
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
