// @ts-check
/** Loading of a screen: what it shows, whether it is being fetched, and what went wrong. */

import { batch, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";
import { onReconnect } from "../../net/connection.js";
import { onRunChanges } from "../../state/tab_stream.js";
import { Fault, Loading } from "./shell.js";

/** @import { Signal } from "@preact/signals" */

/**
 * @template T
 * @typedef {{ found: Signal<T | null>, problem: Signal<string | null>, busy: Signal<boolean>, load: () => Promise<void> }}
 *   Loading `found`: what was fetched last, which stays while it is fetched anew; `problem`: in the learner's words
 */

/**
 * What a screen shows: fetched at once, and again after a lost connection and whenever a run changes its state.
 * @template T
 * @param {() => Promise<T>} fetched an answer that arrives after a newer request was sent is dropped
 * @returns {Loading<T>}
 */
export function useLoaded(fetched) {
  const found = useSignal(/** @type {T | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(false);
  const newest = useRef(0);
  const load = async () => {
    const mine = ++newest.current;
    const settle = (/** @type {() => void} */ change) => {
      if (mine !== newest.current) return;
      batch(() => {
        change();
        busy.value = false;
      });
    };
    busy.value = true;
    try {
      const now = await fetched();
      settle(() => {
        found.value = now;
        problem.value = null;
      });
    } catch (error) {
      settle(() => {
        problem.value = /** @type {Error} */ (error).message;
      });
    }
  };
  useEffect(() => {
    load();
    const leave = [onRunChanges(load), onReconnect(load)];
    return () => leave.forEach((job) => job());
  }, []);
  return { found, problem, busy, load };
}

/**
 * Where nothing is there yet: that it is being fetched, or why it could not be.
 * @param {{ of: Loading<any>, words: string }} props
 */
export const LoadingState = ({ of: { found, problem, busy, load }, words }) => html`
  ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} busy=${busy.value} />`}
  ${!found.value && !problem.value && html`<${Loading} words=${words} isWrapped=${false} />`}
`;
