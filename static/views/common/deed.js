// @ts-check
/** Request of a button or a form: whether it is under way, and what the server says against it. */

import { useSignal } from "@preact/signals";

/** @import { Signal } from "@preact/signals" */
/**
 * @typedef {{ busy: Signal<boolean>, problem: Signal<string | null>, run: (job: () => Promise<unknown>) => Promise<boolean> }}
 *   Deed `run`: whether the job was done; one at a time
 */

/** @param {string | null} [first] a problem from before the first request @returns {Deed} */
export function useDeed(first = null) {
  const busy = useSignal(false);
  const problem = useSignal(first);
  const run = async (/** @type {() => Promise<unknown>} */ job) => {
    if (busy.value) return false;
    busy.value = true;
    problem.value = null;
    try {
      await job();
      return true;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, problem, run };
}
