// @ts-check
/** Answers of one learner in one concept: what was asked and how it went, never what was said. */

import { t } from "../../i18n/classes.js";
import { commaJoined, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as classesApi from "../../net/classes_api.js";
import { AnswerMarkIcon } from "../common/answer_mark.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Markdown } from "../rich/markdown.js";
import { CellMark, cellWords } from "./cell_mark.js";

/** @import { Cell } from "../../state/class_matrix.js" */
/** @import { ConceptReport } from "../../types.d.ts" */

const MARKS = /** @type {const} */ ({ right: "right", partly: "partly", wrong: "missed" });

/** @param {{ classId: string, learnerId: string, nodeId: string, cell: Cell }} props */
export function AnswersInConcept({ classId, learnerId, nodeId, cell }) {
  const loading = useLoaded(() => classesApi.conceptReport(classId, learnerId, nodeId));
  const report = loading.found.value;
  return html`
    <p class="cl-state"><${CellMark} cell=${cell} />${cellWords(cell)}</p>
    <${LoadingState} of=${loading} words=${t("cl.loading_report")} />
    ${report && html`<${Report} report=${report} />`}
  `;
}

/** @param {{ report: ConceptReport }} props */
const Report = ({ report }) => html`
  ${report.stuck && html`<p>${t("cl.report_stuck")}</p>`}
  ${report.unsure && html`<p>${t("cl.report_unsure")}</p>`}
  ${report.chance !== null && html`<p class="dim">${t("cl.chance", { n: Math.round(100 * report.chance) })}</p>`}
  <h3>${t("cl.answers")}</h3>
  ${!report.answers.length && html`<p class="dim">${t("cl.answers_none")}</p>`}
  <ol class="cl-answers">
    ${report.answers.map((answer, i) => html`<${Answer} key=${`${answer.at} ${i}`} answer=${answer} />`)}
  </ol>
`;

/** @param {{ answer: ConceptReport["answers"][number] }} props */
const Answer = ({ answer: { at, prompt, outcome, helped } }) => html`<li>
  ${outcome !== "unmarked" && html`<span class="ev"><${AnswerMarkIcon} mark=${MARKS[outcome]} /></span>`}
  <p class="t13">
    <b>${t(`cl.outcome.${outcome}`)}</b>
    ${" "}<span class="dim">${commaJoined([helped && t("cl.helped"), day(at, api.serverNow())])}</span>
  </p>
  <div class="say"><${Markdown} text=${prompt} /></div>
</li>`;
