// @ts-check
/** What is said of a run that needs a person, and what that person may do. Pure. */

import { clock, count, day, hour, money, msOf } from "./format.js";
import { t } from "./i18n.js";
import { grouped } from "./lines.js";
import { emptyActivity, reduce, tokensOf } from "./state.js";

/** @import { Offer, Question, Run, RunDetail } from "./types.d.ts" */
/** @typedef {Question["kind"] | "cut_off" | "failed" | "timed_out"} Kind */

/** Why a run needs a person; null where it needs none. @param {Run} run @returns {Kind | null} */
export function kindOf(run) {
  if (run.discarded) return null;
  if (run.state === "waiting_on_human") return run.question?.kind ?? "question";
  if (run.state === "failed" || run.state === "timed_out") return run.state;
  return run.cutOff ? "cut_off" : null;
}

/** Whether any words are an answer; the other questions take one of their choices. @param {Kind} kind */
export const takesWords = (kind) => kind === "question" || kind === "context";

/** Which of the choices may carry what a call gave: that it happened, which comes first. @param {Kind} kind @param {number} place */
export const takesResult = (kind, place) => kind === "in_doubt" && place === 0;

/** @type {Exclude<Offer, "answer">[]} */
const BUTTONS = ["resume", "retry", "discard", "cancel"];

/** The buttons besides an answer, the most likely first. @param {Run} run */
export const buttonsOf = (run) => BUTTONS.filter((offer) => run.offers.includes(offer));

/** The headline and the sentence below it. @param {Kind} kind @param {Run} run @returns {{ title: string, why: string }} */
export function wordsOf(kind, run) {
  if (kind === "cut_off") return { title: t("handoff.cut_off"), why: t("handoff.cut_off_why") };
  if (kind === "timed_out") return { title: t("handoff.timed_out"), why: t("handoff.kept") };
  if (kind === "failed") return { title: run.error?.message ?? t("handoff.failed"), why: t("handoff.kept") };
  return { title: run.question?.question ?? "", why: run.question?.why ?? "" };
}

/** Since when a run waits, the hour alone where it is of today. @param {string} since @param {number} nowMs */
export function sinceWords(since, nowMs) {
  const at = new Date(msOf(since));
  const time = hour(at);
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  const name = day(since, nowMs);
  return name === t("day.yesterday") ? t("day.yesterday_at", { time }) : t("day.at", { day: name, time });
}

/** What a run has used. @param {Run} run */
export const costWords = (run) => t("handoff.costs", { tokens: count(tokensOf(run.usage)), cost: run.offline ? t("act.free") : money(run.usage.costUsd) });

/** How long a run went, from its row, its wait for a person left out. @param {Run} run @param {number} nowMs */
export function lengthOf(run, nowMs) {
  if (!run.startedAt || run.cutOff) return "";
  const until = run.endedAt ?? run.question?.since;
  return clock((until ? msOf(until) : nowMs) - msOf(run.startedAt));
}

/** The last events of a run as lines to read. @param {RunDetail} run */
export function lastLines(run) {
  const events = run.lastEvents.map(({ seq, kind, data }) => ({ ...data, seq, kind, runId: run.id }));
  const agents = events.filter((event) => event.kind !== "run_done").reduce(reduce, emptyActivity(run.id)).agents;
  return grouped(agents[run.id]?.entries ?? []);
}
