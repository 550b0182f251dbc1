// @ts-check
/** How the line to the server is doing, for the quiet status line. */

import { effect, signal, untracked } from "@preact/signals";

/** @typedef {import("./stream.js").Line | { state: "back" }} Shown */

const BACK_MS = 4000;

/** @type {import("@preact/signals").Signal<Shown>} */
export const line = signal(navigator.onLine ? { state: "done" } : { state: "offline" });

/** Take news of the line; a line that comes back says so for a moment. @param {import("./stream.js").Line} news */
export function setLine(news) {
  const was = line.value.state;
  if (news.state !== "open" || (was !== "waiting" && was !== "offline")) {
    if (!(was === "back" && news.state === "open")) line.value = news;
    return;
  }
  line.value = { state: "back" };
  setTimeout(() => { if (line.value.state === "back") line.value = { state: "open" }; }, BACK_MS);
}

addEventListener("offline", () => setLine({ state: "offline" }));
addEventListener("online", () => { if (line.value.state === "offline") setLine({ state: "open" }); });

/** Do something each time that the line is open after it was not: what was told meanwhile was missed. @param {() => unknown} job @returns {() => void} */
export function onReturn(job) {
  const isOpen = () => line.value.state === "open" || line.value.state === "back";
  let was = untracked(isOpen);
  return effect(() => {
    const now = isOpen();
    if (now && !was) untracked(job);
    was = now;
  });
}
