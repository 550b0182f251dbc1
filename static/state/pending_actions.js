// @ts-check
/** Actions of a screen, one at a time, with the message of the last refusal. */

import { batch, signal } from "@preact/signals";

/** @param {(error: any) => Promise<void>} [onRefused] */
export function pendingActions(onRefused = async () => {}) {
  const busy = signal(/** @type {string | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));

  /**
   * @template T
   * @param {string} what
   * @param {() => Promise<T>} job
   * @returns {Promise<T | null>} null if it was refused, or if another action goes on
   */
  async function act(what, job) {
    if (busy.value) return null;
    batch(() => {
      busy.value = what;
      refusal.value = null;
    });
    try {
      return await job();
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
      await onRefused(error);
      return null;
    } finally {
      busy.value = null;
    }
  }

  return { busy, refusal, act };
}
