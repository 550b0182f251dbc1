// @ts-check
/** Rights of the caller, asked for once per page: classes of their own, and answers of questions in files. */

import { signal } from "@preact/signals";
import { ApiError, caller } from "../net/api.js";
import { onReconnect } from "../net/connection.js";

/** A teacher or an owner who has signed in. */
export const isTeacher = signal(false);
/** Also whoever uses a server without accounts. */
export const seesAnswerKeys = signal(false);

async function askForRights() {
  try {
    const { account } = await caller();
    isTeacher.value = account !== null && account.role !== "learner";
    seesAnswerKeys.value = account === null || isTeacher.value;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // not signed in, or not reached: asked again then
  }
}

/** Ask now, and again after a lost connection. */
export function openRights() {
  askForRights();
  onReconnect(askForRights);
}
