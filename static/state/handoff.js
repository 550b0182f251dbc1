// @ts-check
/** Hand-off of a run to a person: the words and the offered actions. Pure. */

import { groupLines } from "../lib/activity_lines.js";
import { clock, count, day, hour, money, parseMs } from "../lib/format.js";
import { t } from "../i18n/run.js";
import { earlyEnding, nextWords } from "../lib/run_ending.js";
import { askedSentence, serverSentence } from "../lib/server_words.js";
import { emptyActivity, reduce, tokensOf } from "./event_reducer.js";

/** @import { Offer, Question, Run, RunDetail } from "../types.d.ts" */
/** @typedef {Question["kind"] | "cut_off" | "failed" | "timed_out"} Kind */

/** Why a run needs a person, or null. @param {Run} run @returns {Kind | null} */
export function handoffKind(run) {
  if (run.discarded) return null;
  if (run.state === "waiting_on_human") return run.question?.kind ?? "question";
  if (run.state === "failed" || run.state === "timed_out") return run.state;
  return run.cutOff ? "cut_off" : null;
}

/** Whether free text is an answer; other questions take one of their choices. @param {Kind} kind */
export const takesWords = (kind) => kind === "question" || kind === "context";

/**
 * Whether a choice takes a call's result: only "it happened", the first one.
 * @param {Kind} kind
 * @param {number} place
 */
export const takesResult = (kind, place) => kind === "in_doubt" && place === 0;

/** @type {Exclude<Offer, "answer">[]} */
const BUTTONS = ["resume", "retry", "discard", "cancel"];

/** The buttons besides an answer, the most likely first. @param {Run} run */
export const buttonsOf = (run) => BUTTONS.filter((offer) => run.offers.includes(offer));

/**
 * The headline and the sentence below it.
 * @param {Kind} kind
 * @param {Run} run
 * @returns {{ title: string, why: string }}
 */
export function handoffWords(kind, run) {
  if (kind === "cut_off") return { title: t("handoff.cut_off"), why: t("handoff.cut_off_why") };
  if (kind === "timed_out") return { title: t("handoff.timed_out"), why: t("handoff.kept") };
  if (kind === "failed")
    return {
      title: earlyEnding(run) ?? (run.error ? serverSentence(run.error) : t("handoff.failed")),
      why: nextWords(run) ?? t("handoff.kept"),
    };
  const { question } = run;
  if (!question) return { title: "", why: "" };
  return {
    title: askedSentence(question),
    why: serverSentence({ code: `asks_${question.kind}_why`, message: question.why }),
  };
}

/** A prepared answer in the page's language. @param {Kind} kind @param {number} place @param {string} choice */
export const choiceWords = (kind, place, choice) => serverSentence({ code: `asks_${kind}_${place}`, message: choice });

/** When the wait began; the time alone if it was today. @param {string} since @param {number} nowMs */
export function sinceWords(since, nowMs) {
  const at = new Date(parseMs(since));
  const time = hour(at);
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  const name = day(since, nowMs);
  return name === t("day.yesterday") ? t("day.yesterday_at", { time }) : t("day.at", { day: name, time });
}

/** A run's usage in words. @param {Run} run */
export const costWords = (run) =>
  t("handoff.costs", {
    tokens: count(tokensOf(run.usage)),
    cost: run.offline ? t("act.free") : money(run.usage.costUsd),
  });

/** A run's duration without its wait for a person. @param {Run} run @param {number} nowMs */
export function runDuration(run, nowMs) {
  if (!run.startedAt || run.cutOff) return "";
  const until = run.endedAt ?? run.question?.since;
  return clock((until ? parseMs(until) : nowMs) - parseMs(run.startedAt));
}

/** The last events of a run as readable lines. @param {RunDetail} run */
export function lastSteps(run) {
  const events = run.lastEvents.map(({ seq, kind, data }) => ({ ...data, seq, kind, runId: run.id }));
  const agents = events.filter((event) => event.kind !== "run_done").reduce(reduce, emptyActivity(run.id)).agents;
  return groupLines(agents[run.id]?.entries ?? []);
}
