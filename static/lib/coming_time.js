// @ts-check
/** Moment from which something counts, as seen from now. Pure; the time is passed in. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** @param {number} ms */
const midnight = (ms) => new Date(ms).setHours(0, 0, 0, 0);

/**
 * The time of day up to a day ahead, then the day alone: "15:01", "tomorrow 03:01", "30 November".
 * @param {number} ms
 * @param {number} nowMs
 * @param {string} language
 */
export function comingTime(ms, nowMs, language) {
  const days = Math.round((midnight(ms) - midnight(nowMs)) / DAY_MS);
  const at = Math.ceil(ms / MINUTE_MS) * MINUTE_MS; // at the minute that is shown it counts
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  if (days <= 0) return clock;
  if (days > 1) return new Intl.DateTimeFormat(language, { day: "numeric", month: "long" }).format(ms);
  const tomorrow = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(1, "day");
  return ms - nowMs > DAY_MS ? tomorrow : `${tomorrow} ${clock}`;
}
