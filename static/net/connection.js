// @ts-check
/** State of the connection to the server, for the status line. */

import { effect, signal, untracked } from "@preact/signals";

/** @typedef {import("./stream.js").StreamState | { state: "back" }} ConnectionState */

const BACK_MS = 4000;

/** @type {import("@preact/signals").Signal<ConnectionState>} */
export const connection = signal(navigator.onLine ? { state: "done" } : { state: "offline" });

/**
 * Set the state; a connection that is back says so for a moment.
 * @param {import("./stream.js").StreamState} news
 */
export function setConnection(news) {
  const was = connection.value.state;
  if (news.state !== "open" || (was !== "waiting" && was !== "offline")) {
    if (!(was === "back" && news.state === "open")) connection.value = news;
    return;
  }
  connection.value = { state: "back" };
  setTimeout(() => {
    if (connection.value.state === "back") connection.value = { state: "open" };
  }, BACK_MS);
}

addEventListener("offline", () => setConnection({ state: "offline" }));
addEventListener("online", () => {
  if (connection.value.state === "offline") setConnection({ state: "open" });
});

/**
 * Call `job` after each reconnection, since events were missed. Returns how to stop.
 * @param {() => unknown} job
 * @returns {() => void}
 */
export function onReconnect(job) {
  const isOpen = () => connection.value.state === "open" || connection.value.state === "back";
  let was = untracked(isOpen);
  return effect(() => {
    const now = isOpen();
    if (now && !was) untracked(job);
    was = now;
  });
}
