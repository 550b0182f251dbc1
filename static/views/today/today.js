// @ts-check
/** Today: the home of a learner who comes back. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/today.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { settingsUrl } from "../../state/router.js";
import { tellTimeZone } from "../../state/time_zone.js";
import { lazy } from "../common/lazy.js";
import { usePrefetch } from "../home/prefetch.js";
import { fullDate } from "./days.js";
import { Garden } from "./garden.js";
import { DayDone, isStep, Plan } from "./plan.js";
import { Week } from "./week.js";

/** @import { TeacherDecision, Today } from "../../types.d.ts" */

const decided = lazy(async () => (await import("./decided.js")).Decided);

/** @param {{ today: Today, onChange: () => void }} props */
export function TodayView({ today, onChange }) {
  useEffect(() => {
    document.title = t("td.page");
    tellTimeZone(today.timeZone).then(
      (isNew) => isNew && onChange(),
      (error) => {
        if (!(error instanceof ApiError)) throw error; // the day is in UTC until the next visit
      },
    );
  }, []);
  const told = useDecisions();
  usePrefetch(true);
  const isIdle = today.done || (today.due.today === 0 && !isStep(today.next));
  return html`
    <div class="wrap day">
      <div>
        <p class="eyebrow">${fullDate(today.date)}</p>
        <h1>${titleOf(today, isIdle)}</h1>
        <p class="day-size">
          <span>${sizeWords(today, isIdle)}</span>
          ${!isIdle && html`<a href=${settingsUrl()}>${t("td.day", { n: today.minutes })}</a>`}
        </p>
        ${told.decisions.length > 0 && html`<${decided.View} ...${told} />`}
        ${isIdle ? html`<${DayDone} today=${today} />` : html`<${Plan} today=${today} />`}
      </div>
      <${Week} today=${today} />
    </div>
    <div class="wrap"><${Garden} today=${today} /></div>
  `;
}

/** What a teacher has decided since the learner last looked. */
function useDecisions() {
  const unseen = useSignal(/** @type {TeacherDecision[]} */ ([]));
  /** @param {Promise<unknown>} asked @param {(answer: any) => TeacherDecision[]} shown */
  const show = (asked, shown) =>
    asked.then(
      (answer) => {
        unseen.value = shown(answer);
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error; // it is still there at the next visit
      },
    );
  useEffect(() => {
    show(learnerApi.decisions(), (all) => all.filter((/** @type {TeacherDecision} */ one) => !one.seen));
  }, []);
  return { decisions: unseen.value, onSeen: () => show(learnerApi.markDecisionsSeen(), () => []) };
}

/** @param {Today} today @param {boolean} isIdle */
function titleOf(today, isIdle) {
  if (isIdle) return t(today.done || today.day.minutes > 0 ? "td.done" : "td.nothing");
  const n = Math.max(1, (today.due.today ? today.due.minutes : 0) + (today.next.minutes ?? 0));
  const size = t("td.numbers").split(" ")[n] ?? String(n);
  return t("td.size", { n, size });
}

/** The size of the day in words. @param {Today} today @param {boolean} isIdle */
function sizeWords({ due, next, day, done }, isIdle) {
  if (isIdle) {
    if (day.minutes > 0) return t("td.enough", { n: day.minutes });
    if (done) return t("td.enough_said"); // learned without a minute of today: an answer of yesterday was marked
    return t(next.kind === "growing" ? "td.nothing_growing" : "td.nothing_text");
  }
  if (due.today > 0 && due.days > 0) return t("td.backlog", { n: due.days, today: due.today, due: due.due });
  if (due.today > 0) return t(next.node ? "td.both" : "td.reviews");
  return next.node ? t("td.lesson", { n: next.minutes ?? 1 }) : t("td.one_step");
}
