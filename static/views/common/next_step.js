// @ts-check
/** Next step of a learner: the one filled button of a screen, and the reason for it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import * as api from "../../net/api.js";
import { onReconnect } from "../../net/connection.js";
import * as pathsApi from "../../net/paths_api.js";
import { homeUrl, lessonUrl, pathUrl, reviewUrl, runUrl } from "../../state/router.js";
import { Loading } from "./shell.js";

/** @import { NextAction, NodeRow } from "../../types.d.ts" */
/** @typedef {NextAction & { node: NodeRow }} NextLesson */

/**
 * What comes next over all paths, in one, or in one of its concepts; null while it is not known.
 * @param {{ branchId?: string, nodeId?: string }} within
 * @param {unknown} turn it is asked for again when this changes
 * @returns {NextAction | null}
 */
export function useNextStep(within, turn = null) {
  const found = useSignal(/** @type {NextAction | null} */ (null));
  useEffect(() => {
    let left = false;
    let isMissed = false;
    const load = () =>
      pathsApi.nextAction(within).then(
        (action) => {
          if (!left) found.value = action;
          isMissed = false;
        },
        (error) => {
          isMissed = true;
          if (!(error instanceof api.ApiError)) throw error; // the screen itself reports the outage
        },
      );
    load();
    const unwatch = onReconnect(() => isMissed && load());
    return () => {
      left = true;
      unwatch();
    };
  }, [within.branchId, within.nodeId, turn]);
  return found.value;
}

/** The action as one with a lesson. @param {NextAction | null} next @returns {NextLesson | null} */
export const lessonOf = (next) => (next?.node ? /** @type {NextLesson} */ (next) : null);

/** Address of the step; of one that has none, the home. @param {NextAction} next */
export function stepUrl(next) {
  if (next.kind === "review") return reviewUrl();
  if (next.node) return lessonUrl(next.node.branchId ?? "", next.node.parentId ?? "", next.node.id);
  if (next.kind === "answer" && next.runId) return runUrl(next.runId);
  if ((next.kind === "grow" || next.kind === "growing") && next.branch)
    return pathUrl(next.branch.id, next.concept?.id);
  return homeUrl();
}

/** "Continue, about 6 min", "Start", "Review 7, about 4 min". @param {NextAction} next */
export function stepLabel(next) {
  const minutes = next.minutes ?? 1;
  if (next.kind === "review") return reviewLabel(next);
  if (next.node) return t(next.why === "started" ? "next.continue" : "next.start", { n: minutes });
  if (next.kind === "answer") return t("next.answer");
  return t(next.kind === "grow" || next.kind === "growing" ? "next.open" : "next.home");
}

/** @param {NextAction} next */
function reviewLabel({ reviews }) {
  const minutes = reviews?.minutes ?? 1;
  if (reviews?.sessionId) return t("next.review_on", { n: minutes });
  return t("next.review", { n: reviews?.count ?? 1, minutes });
}

/** What the step is about. @param {NextAction} next */
export function stepTitle(next) {
  if (next.kind === "review") return t("next.reviews", { n: next.reviews?.count ?? 1 });
  if (next.kind === "answer") return t("next.asked");
  if (next.kind === "grow" || next.kind === "growing") return next.concept?.title ?? next.branch?.title ?? "";
  return next.node?.title ?? t("next.done");
}

/** Place of the lesson in its concept. @param {NextLesson} next */
export const nextPlace = (next) =>
  t("next.of", { concept: next.concept?.title ?? "", done: next.learned ?? 0, n: next.parts ?? 0 });

/** Titles in a sentence. @param {string[]} titles */
const named = (titles) => conjunction(titles.map((title) => t("next.title", { title })));

/** Why the step comes now, and what it opens. @param {{ next: NextAction }} props */
export const NextReason = ({ next }) => html`<p class="reason">
  ${t(reasonKey(next), { titles: named(next.because) })}
  ${next.opens.length > 0 && ` ${t("next.opens", { titles: named(next.opens) })}`}
</p>`;

/** @param {NextAction} next @returns {keyof typeof import("../../i18n/en.next.js").default} */
function reasonKey(next) {
  if (next.node) return `next.why.${next.why ?? "in_order"}`;
  if (next.kind === "review") return "next.why.due";
  if (next.kind === "answer") return "next.asked_text";
  return next.kind === "grow" ? "next.grow_text" : "next.done_text";
}

/**
 * The step at the lower edge of a small screen, and its place while it is not known.
 * @param {{ next: NextAction | null, why?: string }} props `why`: a second line, where no other part of the screen says it
 */
export const DockedStep = ({ next, why = "" }) => html`<div class="docked">
  ${
    next
      ? html`
        <${ReviewLine} next=${next} />
        <a class="btn go" href=${stepUrl(next)}>
          <span class="docked-title">${stepTitle(next)}</span>
          <small>${stepLabel(next)}</small>
          ${why && html`<small class="docked-why">${why}</small>`}
        </a>
      `
      : html`<${Loading} words=${t("next.loading")} isWrapped=${false} />`
  }
</div>`;

/** The reviews that are due on a path, beside what comes next on it. @param {{ next: NextAction }} props */
export const ReviewLine = ({ next }) =>
  next.kind !== "review" &&
  (next.reviews?.here ?? 0) > 0 &&
  html`<p class="due-line t13">
    <span>${t("next.due_here", { n: next.reviews?.here })}</span>${" "}
    <a href=${reviewUrl()}>${t("next.due_go")}</a>
  </p>`;
