// @ts-check
/** Next step of a learner: what comes next, in words, with its reason. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import * as api from "../../net/api.js";
import * as pathsApi from "../../net/paths_api.js";
import { lessonUrl } from "../../state/router.js";

/** @import { NextAction, NodeRow } from "../../types.d.ts" */
/** @typedef {NextAction & { node: NodeRow }} NextLesson */

/**
 * The lesson that comes next over all paths, in one, or in one of its concepts; null while none is known.
 * @param {{ branchId?: string, nodeId?: string }} within
 * @param {unknown} turn it is asked for again when this changes
 * @returns {NextLesson | null}
 */
export function useNextLesson(within, turn = null) {
  const found = useSignal(/** @type {NextLesson | null} */ (null));
  useEffect(() => {
    let left = false;
    pathsApi.nextAction(within).then(
      (action) => {
        if (!left) found.value = action.node && /** @type {NextLesson} */ (action);
      },
      (error) => {
        if (!(error instanceof api.ApiError)) throw error; // the screen itself reports the outage
      },
    );
    return () => {
      left = true;
    };
  }, [within.branchId, within.nodeId, turn]);
  return found.value;
}

/** @param {NextLesson} next */
export const nextUrl = ({ node }) => lessonUrl(node.branchId ?? "", node.parentId ?? "", node.id);

/** "Continue, about 6 min", or "Start". @param {NextLesson} next */
export const nextLabel = (next) => t(next.why === "started" ? "next.continue" : "next.start", { n: next.minutes ?? 1 });

/** Place of the lesson in its concept. @param {NextLesson} next */
export const nextPlace = (next) =>
  t("next.of", { concept: next.concept?.title ?? "", done: next.learned ?? 0, n: next.parts ?? 0 });

/** Titles in a sentence. @param {string[]} titles */
const named = (titles) => conjunction(titles.map((title) => t("next.title", { title })));

/** Why the lesson comes now, and what it opens. @param {{ next: NextLesson }} props */
export const NextReason = ({ next }) => html`<p class="reason">
  ${t(`next.why.${next.why ?? "in_order"}`, { titles: named(next.because) })}
  ${next.opens.length > 0 && ` ${t("next.opens", { titles: named(next.opens) })}`}
</p>`;
