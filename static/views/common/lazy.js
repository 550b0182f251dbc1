// @ts-check
/** Views whose code is loaded on demand. */

import { signal } from "@preact/signals";
import { html } from "../../lib/html.js";

/**
 * A view that is loaded when it is first shown, or prefetched.
 * @template P
 * @param {() => Promise<(props: P) => any>} fetched
 */
export function lazy(fetched) {
  const found = signal(/** @type {((props: P) => any) | null} */ (null));
  let asked = false;
  const prefetch = async () => {
    if (asked) return;
    asked = true;
    try {
      found.value = await fetched();
    } catch (error) {
      asked = false; // offline, as the status line says: the next render tries again
      if (!(error instanceof TypeError)) reportError(error); // a module that cannot run is a fault of ours
    }
  };
  /** @param {P} props */
  const View = (props) => {
    if (!found.value) prefetch();
    return found.value ? html`<${found.value} ...${props} />` : "";
  };
  return { View, prefetch };
}
