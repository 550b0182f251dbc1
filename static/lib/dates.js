// @ts-check
/** Days and durations in the page's language. */

import { t } from "../i18n/you.js";
import { chosenLanguage } from "./i18n.js";

const language = chosenLanguage();
/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {number} ms @param {Intl.DateTimeFormatOptions} options */
function formatted(ms, options) {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, options);
  formats.set(key, format);
  return format.format(ms);
}

/** @param {number} ms */
export const shortDay = (ms) => formatted(ms, { day: "numeric", month: "short" });
/** @param {number} ms */
export const dayOfYear = (ms) => formatted(ms, { day: "numeric", month: "short", year: "numeric" });
/** @param {number} ms */
export const longDay = (ms) => formatted(ms, { weekday: "short", day: "numeric", month: "long" });
/** @param {number} ms */
export const shortMonth = (ms) => formatted(ms, { month: "short" });
/** @param {number} ms @param {"narrow" | "short" | "long"} weekday */
export const weekday = (ms, weekday) => formatted(ms, { weekday });

/** A duration in minutes, or in hours and minutes. @param {number} seconds */
export function studyTime(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("pg.minutes", { n: minutes });
  return t("pg.hours", { h: Math.floor(minutes / 60), mm: String(minutes % 60).padStart(2, "0") });
}
