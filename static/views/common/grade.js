// @ts-check
/** Grade as its learner sees it: each criterion, its verdict, and the words that show it. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";

/** @import { CriterionShown } from "../../types.d.ts" */

const WORDS = /** @type {const} */ ({ met: "rs.met", partly: "rs.half", missing: "rs.missing" });

/**
 * Spans that are underlined in the answer are not repeated.
 * @param {{ grade: { criteria: CriterionShown[] }, words?: string }} props `words`: the answer, where it is shown with
 *   its evidence underlined
 */
export const GradeView = ({ grade, words = "" }) =>
  html`<dl class="points">
    ${grade.criteria.map(
      (point) => html`
        <dt><i class=${`mark ${point.verdict ?? "unsure"}`} aria-hidden="true"></i>${point.label}</dt>
        <dd>
          ${t(point.verdict ? WORDS[point.verdict] : "rs.unsure")}
          ${point.span && !words.includes(point.span) && html`: <q>${point.span}</q>`}
        </dd>
      `,
    )}
  </dl>`;
