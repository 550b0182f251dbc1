// @ts-check
/** A grade as its learner sees it: each point, whether it is there, and their own words that show it. */

import { html } from "../html.js";
import { t } from "../i18n/learn.js";

/** @import { CriterionShown } from "../types.d.ts" */

const WORDS = /** @type {const} */ ({ met: "rs.met", partly: "rs.half", missing: "rs.missing" });

/** Words that stand underlined in the answer are not said twice. @param {{ grade: { criteria: CriterionShown[] }, words?: string }} props `words`: the answer, where it is shown with its evidence underlined */
export const GradeView = ({ grade, words = "" }) => html`<dl class="points">${grade.criteria.map((point) => html`
  <dt><i class=${`mark ${point.verdict ?? "unsure"}`} aria-hidden="true"></i>${point.label}</dt>
  <dd>${t(point.verdict ? WORDS[point.verdict] : "rs.unsure")}${point.span && !words.includes(point.span) && html`: <q>${point.span}</q>`}</dd>`)}</dl>`;
