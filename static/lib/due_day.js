// @ts-check
/** Day by which something is to be learned, as seen from today. Pure; today is passed in. */

const DAY_MS = 86_400_000;
/** Up to so many days ahead a weekday says which day it is. */
const WEEK = 6;

/** Noon of a date such as 2026-11-23, so that no change of the clock moves its day. @param {string} date */
const noon = (date) => new Date(`${date}T12:00:00`).getTime();

/**
 * Which words a date takes, and its day for them.
 * @param {string} date such as 2026-11-23
 * @param {number} nowMs
 * @param {string} language
 * @returns {{ key: "today" | "tomorrow" | "by" | "was", day: string }}
 */
export function dueDay(date, nowMs, language) {
  const days = Math.round((noon(date) - new Date(nowMs).setHours(12, 0, 0, 0)) / DAY_MS);
  const isNear = days > 0 && days <= WEEK;
  const form = new Intl.DateTimeFormat(language, isNear ? { weekday: "long" } : { day: "numeric", month: "long" });
  return { key: keyOf(days), day: form.format(noon(date)) };
}

/** @param {number} days */
function keyOf(days) {
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  return days < 0 ? "was" : "by";
}
