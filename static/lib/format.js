// @ts-check
/** Formatting of numbers, times and names. Pure; the time is passed in. */

import { chosenLanguage, t } from "./i18n.js";

const language = chosenLanguage();
const whole = new Intl.NumberFormat(language);
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(language, { style: "currency", currency: "USD" });
const cents = new Intl.NumberFormat(language, {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});
const weekday = new Intl.DateTimeFormat(language, { weekday: "long" });
const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "long" });
const dateWithYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric" });
const timeOfDay = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const both = new Intl.ListFormat(language, { type: "conjunction" });

/** @param {number} n */
export const count = (n) => whole.format(n);

/** @param {number} usd */
export const money = (usd) => (usd > 0 && usd < 0.01 ? cents.format(usd) : dollars.format(usd));

/** Minutes and seconds, with hours if there are any. @param {number} ms */
export function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours
    ? `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
    : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** Duration of one step. @param {number} ms */
export const duration = (ms) =>
  ms < 50
    ? t("time.moment", { n: tenths.format(0.1) })
    : ms < 60_000
      ? t("time.seconds", { n: tenths.format(ms / 1000) })
      : clock(ms);

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1024
    ? t("size.bytes", { n: bytes })
    : bytes < 1024 ** 2
      ? t("size.kilobytes", { n: Math.round(bytes / 1024) })
      : t("size.megabytes", { n: tenths.format(bytes / 1024 ** 2) });

/** Hour and minute. @param {Date} at */
export const hour = (at) => timeOfDay.format(at);

/** A list within a sentence: one, two and three. @param {string[]} things */
export const conjunction = (things) => both.format(things);

/**
 * Short facts with commas between them; empty ones are left out.
 * @param {(string | false | null | undefined)[]} facts
 */
export const commaJoined = (facts) => facts.filter(Boolean).join(t("list.comma"));

/** Milliseconds of an ISO time; without a zone it is UTC. @param {string} time */
export const parseMs = (time) => Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(time) ? time : `${time.replace(" ", "T")}Z`);

/** A day in words: today, yesterday, a weekday or a date. @param {string | null} time @param {number} nowMs */
export function day(time, nowMs) {
  if (!time) return t("day.never");
  const then = new Date(parseMs(time));
  const minutes = Math.floor((nowMs - then.getTime()) / 60_000);
  if (minutes < 1) return t("day.now");
  if (minutes < 60) return t("day.minutes", { n: minutes });
  const days = daysBetween(then, new Date(nowMs));
  if (days === 0) return t("day.today");
  if (days === 1) return t("day.yesterday");
  if (days < 7) return weekday.format(then);
  return (nowMs - then.getTime() < 300 * 86_400_000 ? date : dateWithYear).format(then);
}

/** @param {Date} then @param {Date} now */
function daysBetween(then, now) {
  const midnight = (/** @type {Date} */ at) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
  return Math.round((midnight(now) - midnight(then)) / 86_400_000);
}

/** A model's id as a short name. @param {string | null} model @param {boolean} offline */
export function modelName(model, offline) {
  if (offline) return t("model.offline");
  const known = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(model ?? "");
  return known
    ? `${known[1][0].toUpperCase()}${known[1].slice(1)} ${known[2]}${known[3] ? `.${known[3]}` : ""}`
    : (model ?? "");
}

/** The text, cut at a word boundary if it is too long. @param {string} text @param {number} most */
export function shorten(text, most) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  const space = cut.lastIndexOf(" ");
  return `${space > most / 2 ? cut.slice(0, space) : cut}…`;
}
