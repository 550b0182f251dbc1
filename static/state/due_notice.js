// @ts-check
/** Notice of due reviews: at most one a day, only while a page is open and out of sight, and only if asked for. */

import { navigate, reviewUrl } from "./router.js";
import { ApiError, reviewsDue } from "../net/api.js";

/** Holds the date of the last notice while notices are wanted; absent otherwise. `app.js` looks at it, too. */
const KEY = "sprout.notice";
const EVERY_MS = 15 * 60_000;

/** @type {ReturnType<typeof setInterval> | null} */
let timer = null;

export const canNotify = () => "Notification" in globalThis;
export const isNoticeWanted = () =>
  canNotify() && Notification.permission === "granted" && localStorage.getItem(KEY) !== null;

/**
 * Ask the browser for notices; must be called by a click.
 * @returns {Promise<boolean>} whether it allows them
 */
export async function wantNotice() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  localStorage.setItem(KEY, "");
  watchDue();
  return true;
}

export function refuseNotice() {
  localStorage.removeItem(KEY);
  document.removeEventListener("visibilitychange", look);
  if (timer) clearInterval(timer);
  timer = null;
}

/** Look from time to time, while the page is out of sight. */
export function watchDue() {
  if (timer) return;
  timer = setInterval(look, EVERY_MS);
  document.addEventListener("visibilitychange", look);
}

async function look() {
  const today = new Date().toDateString();
  if (!document.hidden || !isNoticeWanted() || localStorage.getItem(KEY) === today) return;
  try {
    const due = await reviewsDue();
    if (!due.today || localStorage.getItem(KEY) === today) return; // another window may have told it meanwhile
    localStorage.setItem(KEY, today);
    await show(due.today, due.minutes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the next look comes
  }
}

/** @param {number} n @param {number} minutes */
async function show(n, minutes) {
  const { t } = await import("../i18n/review.js");
  const notice = new Notification(t("rv.notice", { n, minutes }), { tag: "sprout-due", silent: true });
  notice.onclick = () => {
    notice.close();
    focus();
    navigate(reviewUrl());
  };
}
