// @ts-check
/** Days on which a part comes back, in words. */

import { t } from "../../i18n/review.js";
import { shortDay } from "../../lib/dates.js";

const DAY_MS = 86_400_000;

/** Midnight of a moment's day. @param {number} ms */
const midnight = (ms) => new Date(ms).setHours(0, 0, 0, 0);

/**
 * Today, tomorrow or a date.
 * @param {string} time
 * @param {number} nowMs
 * @param {{ inSentence?: boolean }} [options] `inSentence`: in small letters, "on 5 Dec"
 */
export function comesBackDay(time, nowMs, { inSentence = false } = {}) {
  const days = Math.round((midnight(Date.parse(time)) - midnight(nowMs)) / DAY_MS);
  const date = shortDay(Date.parse(time));
  if (days > 1) return inSentence ? t("rv.on", { date }) : date;
  const word = t(days === 1 ? "rv.tomorrow" : "rv.today");
  return inSentence ? word.toLocaleLowerCase() : word;
}
