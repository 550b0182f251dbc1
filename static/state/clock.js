// @ts-check
/** Clock that ticks once a second while a component shows it. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { serverNow } from "../net/api.js";

export const nowMs = signal(serverNow());
let watchers = 0;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** Tick while the component is mounted and `on` is true. @param {boolean} on */
export function useTicking(on) {
  useEffect(() => {
    if (!on) return;
    nowMs.value = serverNow();
    if (!watchers++)
      timer = setInterval(() => {
        nowMs.value = serverNow();
      }, 1000);
    return () => {
      if (!--watchers) clearInterval(timer);
    };
  }, [on]);
}
