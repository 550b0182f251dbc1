// @ts-check
/** Dates of the learner's days, in words. */

import { t } from "../../i18n/today.js";
import { chosenLanguage } from "../../lib/i18n.js";

const language = chosenLanguage();
const whole = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
const short = new Intl.DateTimeFormat(language, { weekday: "short" });
const long = new Intl.DateTimeFormat(language, { weekday: "long" });

/** Noon of a date such as 2026-11-23, so that no change of the clock moves its day. @param {string} date */
const noon = (date) => new Date(`${date}T12:00:00`);

/** "Monday 23 November". @param {string} date */
export const fullDate = (date) => whole.format(noon(date));
/** @param {string} date */
export const shortWeekday = (date) => short.format(noon(date));
/** @param {string} date */
export const weekday = (date) => long.format(noon(date));

/**
 * "tomorrow", or "on Wednesday".
 * @param {string} time of the server
 * @param {{ date: string, timeZone: string | null }} today the learner's
 */
export function onDay(time, today) {
  const zone = { timeZone: today.timeZone ?? undefined };
  const date = new Intl.DateTimeFormat("en-CA", zone).format(new Date(time)); // as 2026-11-23
  const days = Math.round((noon(date).getTime() - noon(today.date).getTime()) / 86_400_000);
  return days <= 1 ? t("td.tomorrow_in") : t("td.on", { day: weekday(date) });
}
