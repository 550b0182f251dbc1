// @ts-check
/** The time, ticking once a second while somebody looks at it. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { serverNow } from "./api.js";

export const nowMs = signal(serverNow());
let watchers = 0;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** Keep the clock ticking while the component is shown and `on` holds. @param {boolean} on */
export function useTicking(on) {
  useEffect(() => {
    if (!on) return;
    nowMs.value = serverNow();
    if (!watchers++) timer = setInterval(() => { nowMs.value = serverNow(); }, 1000);
    return () => { if (!--watchers) clearInterval(timer); };
  }, [on]);
}
