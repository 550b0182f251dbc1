// @ts-check
/** Progress over a span of time, in days of the local time zone. Pure. */

import { parseMs } from "../lib/format.js";

/** @import { Begun, BegunConcept, ProgressReport, Studied, Turn } from "../types.d.ts" */

/** @typedef {keyof typeof SPANS} Span */
/** @typedef {{ atMs: number, learned: number, mastered: number, begun: number }} Point `mastered` of the `learned`; `begun`: not learned */
/** @typedef {{ atMs: number, deeds: number, seconds: number, ahead: boolean }} Cell `ahead`: in the future */

/** The spans: their length, and the distance of the curve's points in days. */
export const SPANS = { month: { weeks: 4, step: 1 }, quarter: { weeks: 12, step: 7 }, year: { weeks: 52, step: 7 } };

const WEEK = 7;

/** Start of the day that is `days` after that of `ms`. @param {number} ms @param {number} [days] */
export function dayOf(ms, days = 0) {
  const at = new Date(ms);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
}

/**
 * Start of the week, on Monday.
 * @param {number} ms
 * @param {number} [weeks] so many weeks later
 */
export const weekOf = (ms, weeks = 0) => dayOf(ms, weeks * WEEK - ((new Date(ms).getDay() + 6) % WEEK));

/**
 * Number of nodes learned, of these mastered, and only started, at each moment.
 * @param {Turn[]} turns oldest first
 * @param {number[]} moments in ms, the earliest first
 * @returns {Point[]}
 */
export function masteryAt(turns, moments) {
  const reached = new Map();
  let next = 0;
  return moments.map((atMs) => {
    for (; next < turns.length && parseMs(turns[next].at) <= atMs; next++)
      reached.set(turns[next].nodeId, turns[next].reached);
    const stages = [...reached.values()];
    const begun = stages.filter((each) => each === "begun").length;
    const mastered = stages.filter((each) => each === "mastered").length;
    return { atMs, learned: stages.length - begun, mastered, begun };
  });
}

/**
 * Points of the curve: the end of every step, the last one now.
 * @param {Turn[]} turns
 * @param {Span} span
 * @param {number} nowMs
 * @returns {Point[]}
 */
export function curve(turns, span, nowMs) {
  const { weeks, step } = SPANS[span];
  return course(turns, (weeks * WEEK) / step, step, nowMs);
}

/**
 * Mastery at the end of each of the last steps.
 * @param {Turn[]} turns
 * @param {number} steps
 * @param {number} days
 * @param {number} nowMs
 * @returns {Point[]}
 */
const course = (turns, steps, days, nowMs) =>
  masteryAt(
    turns,
    Array.from({ length: steps + 1 }, (_, i) => (i === steps ? nowMs : dayOf(nowMs, (i - steps) * days + 1) - 1)),
  );

/**
 * Mastery of one path at the end of each of the last eight weeks.
 * @param {ProgressReport} report of all paths
 * @param {string} branchId
 * @param {number} nowMs
 * @returns {Point[]}
 */
export function lastEightWeeks(report, branchId, nowMs) {
  const own = new Set(report.begun.filter((one) => one.branchId === branchId).map((one) => one.nodeId));
  return course(
    report.turns.filter((turn) => own.has(turn.nodeId)),
    8,
    WEEK,
    nowMs,
  );
}

/**
 * Cells of the calendar: days in columns of weeks; for a year, weeks in columns of months.
 * @param {Studied[]} studied
 * @param {Span} span
 * @param {number} nowMs
 * @returns {Cell[][]}
 */
export function calendar(studied, span, nowMs) {
  const { weeks } = SPANS[span];
  const monday = weekOf(nowMs, 1 - weeks);
  const days = byDay(studied);
  if (span !== "year") {
    return Array.from({ length: weeks }, (_, week) =>
      Array.from({ length: WEEK }, (__, day) => cell(days, dayOf(monday, week * WEEK + day), 1, nowMs)),
    );
  }
  /** @type {Cell[][]} */
  const months = [];
  for (let week = 0; week < weeks; week++) {
    const from = dayOf(monday, week * WEEK);
    const first = months.at(-1)?.[0];
    const isNew = !first || new Date(first.atMs).getMonth() !== new Date(from).getMonth();
    const one = cell(days, from, WEEK, nowMs);
    if (isNew) months.push([one]);
    else months[months.length - 1].push(one);
  }
  return months;
}

/** The studied time by the start of its day. @param {Studied[]} studied @returns {Map<number, Studied[]>} */
function byDay(studied) {
  const days = new Map();
  for (const each of studied) {
    const day = dayOf(parseMs(each.at));
    days.set(day, [...(days.get(day) ?? []), each]);
  }
  return days;
}

/**
 * @param {Map<number, Studied[]>} byDay
 * @param {number} fromMs
 * @param {number} days
 * @param {number} nowMs
 * @returns {Cell}
 */
function cell(byDay, fromMs, days, nowMs) {
  const own = Array.from({ length: days }, (_, day) => byDay.get(dayOf(fromMs, day)) ?? []).flat();
  return {
    atMs: fromMs,
    deeds: sum(own.map(({ deeds }) => deeds)),
    seconds: sum(own.map(({ seconds }) => seconds)),
    ahead: fromMs > nowMs,
  };
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

/**
 * The summary: what is learned and mastered, and this week's changes.
 * @param {ProgressReport} report
 * @param {number} nowMs
 */
export function summary(report, nowMs) {
  const monday = weekOf(nowMs);
  const [before, now] = masteryAt(report.turns, [monday - 1, nowMs]);
  const week = report.studied.filter(({ at }) => parseMs(at) >= monday);
  return {
    learned: now.learned,
    mastered: now.mastered,
    begun: now.begun,
    more: now.learned - before.learned,
    seconds: sum(week.map(({ seconds }) => seconds)),
    days: new Set(week.map(({ at }) => dayOf(parseMs(at)))).size,
  };
}

/**
 * What was reached since Monday and still holds, by the stage that each part is in now.
 * @param {ProgressReport} report
 * @param {number} nowMs
 * @returns {{ learned: Begun[], mastered: Begun[] }}
 */
export function gains(report, nowMs) {
  const monday = weekOf(nowMs);
  const reached = (/** @type {"learned" | "mastered"} */ stage) => {
    const turns = report.turns.filter((turn) => turn.reached === stage && parseMs(turn.at) >= monday);
    const ids = new Set(turns.map((turn) => turn.nodeId));
    return report.begun.filter(
      (part) => ids.has(part.nodeId) && part.learned && part.mastered === (stage === "mastered"),
    );
  };
  return { learned: reached("learned"), mastered: reached("mastered") };
}

/**
 * The parts of a concept that are begun or known, learned ones last, and how many of its parts are in which stage.
 * @param {ProgressReport} report
 * @param {BegunConcept} concept
 */
export function standing(report, concept) {
  const begun = report.begun.filter((part) => part.conceptId === concept.nodeId);
  const learned = begun.filter((part) => part.learned);
  return {
    parts: [...begun.filter((part) => !part.learned), ...learned],
    learned: learned.length,
    mastered: learned.filter((part) => part.mastered).length,
    notBegun: concept.parts - begun.length,
    answers: sum(begun.map((part) => part.answers)),
  };
}

/**
 * Ticks of an axis from 0 to at least `most`: at most five whole numbers.
 * @param {number} most
 * @returns {number[]}
 */
export function ticks(most) {
  let step = 1;
  for (let i = 0; most / step > 4; i++) step *= i % 3 === 1 ? 2.5 : 2;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** The weekday (0 is Monday) with the most time, or null. @param {Cell[][]} weeks */
export function longestDay(weeks) {
  const spent = Array.from({ length: WEEK }, (_, day) => sum(weeks.map((week) => week[day].seconds)));
  const most = Math.max(...spent);
  return most > 0 ? spent.indexOf(most) : null;
}
