// @ts-check
/** Answers behind the mastery of a concept or a part: question, answer, grade. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { AnswerMarkIcon } from "../common/answer_mark.js";
import { GradeView } from "../common/grade.js";
import { Fault } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";

/** @import { Evidence } from "../../types.d.ts" */

/** @param {{ of: { nodeId: string, title: string, answers: number } }} props `answers`: their number, as far as known */
export function EvidenceList({ of: node }) {
  const found = useSignal(/** @type {Evidence[] | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const load = async () => {
    problem.value = null;
    try {
      found.value = await learnerApi.evidence(node.nodeId);
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  useEffect(() => {
    load();
  }, [node.nodeId, node.answers]);
  if (problem.value) return html`<${Fault} message=${problem.value} onRetry=${load} />`;
  if (!found.value) return html`<p class="t13 dimmer" role="status">${t("pg.evidence_loading")}</p>`;
  if (!found.value.length) return html`<p class="t13 dim" role="status">${t("pg.evidence_none")}</p>`;
  return html`<ol class="ev-list" aria-label=${t("pg.evidence", { title: node.title })}>
    ${found.value.map((each) => html`<${EvidenceItem} key=${each.answerId} each=${each} />`)}
  </ol>`;
}

/** @param {Evidence} evidence */
function answerLabel({ drawn, format }) {
  if (drawn) return "pg.evidence_drew";
  return format === "mcq" ? "pg.evidence_chose" : "pg.evidence_yours";
}

/** @param {{ each: Evidence }} props */
const EvidenceItem = ({ each }) => html`<li>
  <div class="say ev-q"><${Markdown} text=${each.prompt} /></div>
  <p class="ev-said">
    <small>
      ${t(answerLabel(each))}
    </small>
    ${each.said || (each.drawn ? t("pg.evidence_drawn") : "")}
  </p>
  <p class="ev-of t13">
    <span class="chip"><${AnswerMarkIcon} mark=${each.mark} />${t(`pg.mark_${each.mark}`)}</span>
    <span>${t("pg.evidence_points", { n: Math.round(each.score * 100) })}</span>
    <span>${t(each.helpLevel ? "pg.evidence_helped" : "pg.evidence_alone")}</span>
    <time datetime=${each.at}>${day(each.at, api.serverNow())}</time>
  </p>
  ${each.criteria.length > 0 && html`<${GradeView} grade=${each} />`}
  ${each.feedback && html`<p class="reason">${each.feedback}</p>`}
</li>`;
