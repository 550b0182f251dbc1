// @ts-check
/** Views whose code is loaded on demand. */

import { signal } from "@preact/signals";
import { html } from "../../lib/html.js";
import { untilFetched } from "../../lib/until_fetched.js";

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
    found.value = await untilFetched(fetched);
  };
  /** @param {P} props */
  const View = (props) => {
    if (!found.value) prefetch();
    return found.value ? html`<${found.value} ...${props} />` : "";
  };
  return { View, prefetch };
}
