// @ts-check
/** Whether the caller has classes: a teacher or an owner who has signed in. Asked for once per page. */

import { signal } from "@preact/signals";
import { ApiError, caller } from "../net/api.js";
import { onReconnect } from "../net/connection.js";

export const isTeacher = signal(false);

async function askForRights() {
  try {
    const { account } = await caller();
    isTeacher.value = account !== null && account.role !== "learner";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // not signed in, or not reached: asked again then
  }
}

/** Ask now, and again after a lost connection. */
export function openRights() {
  askForRights();
  onReconnect(askForRights);
}
