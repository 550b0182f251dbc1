// @ts-check
/** Views whose code comes when they are first shown. */

import { signal } from "@preact/signals";
import { html } from "../html.js";

/** A view that is fetched when it is first shown, or ahead of that. @template P @param {() => Promise<(props: P) => any>} fetched */
export function lazily(fetched) {
  const found = signal(/** @type {((props: P) => any) | null} */ (null));
  let asked = false;
  const ahead = async () => {
    if (asked) return;
    asked = true;
    try {
      found.value = await fetched();
    } catch {
      asked = false; // the network is away, which the status line says: the next look asks again
    }
  };
  /** @param {P} props */
  const View = (props) => {
    if (!found.value) ahead();
    return found.value ? html`<${found.value} ...${props} />` : "";
  };
  return { View, ahead };
}
