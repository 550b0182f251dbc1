// @ts-check
/** Grade as its learner sees it: the verdict in one word, then each criterion and the words that show it. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Markdown } from "../rich/markdown.js";
import { VerdictMark } from "./verdict_mark.js";

/** @import { Attempt, CriterionShown, GradeShown } from "../../types.d.ts" */
/** @import { Turn } from "../../state/transcript.js" */

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
        <dt><${VerdictMark} shape=${point.verdict ?? "unsure"} /><span class="chunk">${point.label}</span></dt>
        <dd>
          ${t(point.verdict ? WORDS[point.verdict] : "rs.unsure")}
          ${point.span && !words.includes(point.span) && html`: <q>${point.span}</q>`}
        </dd>
      `,
    )}
  </dl>`;

/** @typedef {"right" | "partly" | "not" | "compared" | "unmarked"} Outcome */
const MARKS = /** @type {const} */ ({
  right: "met",
  partly: "partly",
  not: "missing",
  compared: "partly",
  unmarked: "unsure",
});
const OUTCOMES = /** @type {const} */ ({
  right: "vd.right",
  partly: "vd.partly",
  not: "vd.not",
  compared: "vd.compared",
  unmarked: "vd.unmarked",
});

/** @param {Pick<GradeShown, "state" | "score" | "correct">} grade @returns {Outcome} */
export function outcomeOf({ state, score, correct }) {
  if (state === "self_marked") return "compared";
  if (state !== "graded") return "unmarked";
  return correct ? "right" : (score ?? 0) > 0 ? "partly" : "not";
}

/**
 * @param {{ grade: GradeShown | Attempt, attempt?: Turn | false, withPoints?: boolean }} props `attempt`: with its
 *   criteria, and the answer once its question is settled; `withPoints`: neither stands under words that were compared
 *   as a whole with the passage above
 */
export function Verdict({ grade, attempt = false, withPoints = true }) {
  const outcome = outcomeOf(grade);
  const { answer = null, why = null } = attempt && attempt.attempt ? attempt.attempt : {};
  const isShown = withPoints || grade.state !== "self_marked";
  const hasPoints = attempt && isShown && grade.criteria.length > 0;
  return html`<div class="vd">
    <p class="verdict"><${VerdictMark} shape=${MARKS[outcome]} /><b>${t(OUTCOMES[outcome])}</b></p>
    ${hasPoints && html`<${GradeView} grade=${grade} words=${attempt.text} />`}
    ${
      answer &&
      isShown &&
      html`<details class="why">
        <summary>${t("vd.answer")}</summary>
        <${Markdown} text=${answer} />
        ${why && why !== answer && html`<div class="dim"><${Markdown} text=${why} /></div>`}
      </details>`
    }
  </div>`;
}
