// @ts-check
/** Last answers of a subconcept, as marks and in words. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/about.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { AnswerMarkIcon } from "../common/answer_mark.js";

/** @import { Evidence } from "../../types.d.ts" */
/** @import { GraphNode } from "../../state/graph.js" */

const AT_MOST = 8;

/**
 * Numbers of missed, partly right and right answers, and whether all were without hints.
 * @param {Pick<Evidence, "mark" | "helpLevel">[]} answers
 * @returns {string}
 */
export function tally(answers) {
  const counts = /** @type {const} */ (["missed", "partly", "right"]).map((mark) => ({
    mark,
    n: answers.filter((each) => each.mark === mark).length,
  }));
  return commaJoined([
    ...counts.map(({ mark, n }) => n > 0 && t(`answers.${mark}`, { n })),
    answers.every((each) => each.helpLevel === 0) && t("answers.alone", { n: answers.length }),
  ]);
}

/**
 * Row of the facts; renders nothing without answers.
 * @param {{ node: GraphNode }} props
 */
export function LastAnswers({ node }) {
  const found = useSignal(/** @type {Evidence[]} */ ([]));
  const failed = useSignal(false);
  const isBegun = node.begun;
  useEffect(() => {
    if (!isBegun) return undefined;
    let left = false;
    learnerApi.evidence(node.id).then(
      (answers) => {
        if (!left) {
          found.value = answers.slice(0, AT_MOST).reverse();
          failed.value = false;
        }
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
        if (!left) failed.value = true;
      },
    );
    return () => {
      left = true;
    };
  }, [node.id, node.mastery]);
  const answers = found.value;
  if (!isBegun || !(failed.value || answers.length)) return null;
  return html`
    <dt>${t("about.answers")}</dt>
    <dd>
      ${
        failed.value
          ? html`<span class="dimmer">${t("about.source_away")}</span>`
          : html`
            <span class="ev" aria-hidden="true">
              ${answers.map((each) => html`<${AnswerMarkIcon} key=${each.answerId} mark=${each.mark} />`)}
            </span> ${tally(answers)}
          `
      }
    </dd>
  `;
}
