// @ts-check
/** Whether the server has asked to sign in; nothing is asked for then until somebody has. */

import { signal } from "@preact/signals";

export const isSignedOut = signal(false);

/** Begin anew for another person: nothing of the one before is kept in memory. @param {string} [url] */
export function startOver(url = location.pathname) {
  location.replace(url);
}
