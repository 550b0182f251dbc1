// @ts-check
/** Reviews that are due, as the navigation and the list of paths show them: asked for anew on each screen. */

import { effect, signal, untracked } from "@preact/signals";
import { ApiError, reviewsDue } from "../net/api.js";
import { onReconnect } from "../net/connection.js";
import { isSignedOut } from "../net/signed_out.js";
import { screen } from "./router.js";

/** @import { ReviewsDue } from "../types.d.ts" */

/** Null while they are not known. */
export const dueReviews = signal(/** @type {ReviewsDue | null} */ (null));

async function look() {
  if (isSignedOut.value || document.hidden) return;
  try {
    dueReviews.value = await reviewsDue();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the next look comes
  }
}

/** Look now, on each screen, after a lost connection, and when the page is seen again. */
export function openDueReviews() {
  effect(() => {
    screen.value;
    untracked(look);
  });
  onReconnect(look);
  document.addEventListener("visibilitychange", look);
}
