// @ts-check
/** Days of a class page in words. */

import { t } from "../../i18n/classes.js";
import { longDay } from "../../lib/dates.js";
import { parseMs } from "../../lib/format.js";
import { serverNow } from "../../net/api.js";
import { daysAway } from "../../state/class_matrix.js";

/** How long somebody was away, as a table says it. @param {string | null} at */
export function awayWords(at) {
  const days = daysAway(at, serverNow());
  if (days === null) return t("cl.never");
  if (days === 0) return t("cl.today");
  return days === 1 ? t("cl.yesterday") : t("cl.days", { n: days });
}

/** How long somebody was away, within a sentence. @param {string | null} at */
export function awaySince(at) {
  const days = daysAway(at, serverNow());
  if (days === null) return t("cl.in_never");
  if (days === 0) return t("cl.in_today");
  return days === 1 ? t("cl.in_yesterday") : t("cl.in_days", { n: days });
}

/** The day of a time or of a date without one. @param {string} at */
export const dayWords = (at) =>
  longDay(/^\d{4}-\d{2}-\d{2}$/.test(at) ? new Date(`${at}T12:00`).getTime() : parseMs(at));
