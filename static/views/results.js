// @ts-check
/** After the diagnostic: each answer with what stands and what to do next, and what it changed on the path. */

import { useEffect } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import { inOrder, partsOf } from "../graph.js";
import { learnUrl, pathUrl } from "../router.js";
import { Changes, shownOf } from "./changes.js";
import { GradeView } from "./grade.js";
import { Icon } from "./icons.js";
import { Markdown } from "../markdown.js";
import { Fault } from "./shell.js";

/** @import { Opened } from "../diagnostic.js" */
/** @import { Answer, AskedQuestion } from "../types.d.ts" */

/** @param {{ opened: Opened, around: import("./around.js").Around | null }} props */
export function Results({ opened, around }) {
  useEffect(() => {
    opened.lookAtChanges();
    if (opened.given.value.length) opened.fit();
    document.getElementById("main")?.focus({ preventScroll: true });
  }, []);
  const { questions, newest } = opened;
  const asked = questions.value.filter((each) => newest.value.has(each.id));
  const right = asked.filter((each) => newest.value.get(each.id)?.isCorrect).length;
  const unread = asked.filter((each) => { const answer = newest.value.get(each.id); return answer && isUnread(answer) && !isNotKnown(each, answer); }).length;
  const fitting = opened.fitting.value;
  const next = around && inOrder(partsOf(around.all, opened.conceptId)).find((node) => node.state === "ready" || node.state === "progress");
  return html`<section class="rs wrap">
    <h1 class="t24">${t("rs.title")}</h1>
    <p class="dim" role="status">${[t("rs.summary", { right, n: asked.length }), unread && fitting === "going" ? t("rs.waiting", { n: unread }) : ""].filter(Boolean).join(". ")}</p>
    <ol class="rs-list">${questions.value.map((question) => html`<${Answered} key=${question.id} question=${question} answer=${newest.value.get(question.id)} />`)}</ol>
    <section class="rs-changes" aria-labelledby="changed"><h2 class="t18" id="changed">${t("rs.changes")}</h2>
      <div role="status">${fitting === "going" && html`<p class="growing"><span class="pulse"></span><span>${t("rs.changing")}</span></p>`}
      ${fitting === "done" && !shownOf(opened.changes.value).length && html`<p class="dim">${t("rs.unchanged")}</p>`}</div>
      ${fitting === "failed" && html`<${Fault} message=${opened.refusal.value ?? t("rs.change_failed")} onRetry=${() => opened.fit({ again: true })} />`}
      <${Changes} changes=${opened.changes.value} all=${around?.all ?? new Map()} onUndone=${opened.lookAtChanges} />
    </section>
    <div class="row dg-foot">${next && html`<a class="btn go" href=${learnUrl(opened.branchId, opened.conceptId, next.id)}>${t("rs.first", { title: next.title })}</a>`}
      <a class="btn" href=${pathUrl(opened.branchId, opened.conceptId)}>${t("rs.back")}</a></div>
  </section>`;
}

/** @param {Answer | undefined} answer */
const isUnread = (answer) => answer !== undefined && answer.score === null && !answer.feedback && (answer.answerText !== null || answer.selectedOption !== null);

/** Whether words stand where an option was asked for: that one did not know, which nobody marks. @param {AskedQuestion} question @param {Answer} answer */
const isNotKnown = (question, answer) => question.format === "mcq" && answer.selectedOption === null && answer.score === null;

/** @param {{ question: AskedQuestion, answer: Answer | undefined }} props */
const Answered = ({ question, answer }) => html`<li class="rs-item">
  <div class="rs-q say"><${Markdown} text=${question.prompt} /></div>
  ${answer && (answer.answerText || answer.selectedOption)
    ? html`<p class="rs-said"><small>${t(answer.selectedOption ? "rs.chose" : "rs.yours")}</small>${answer.selectedOption ?? answer.answerText}</p>` : ""}
  <${Verdict} question=${question} answer=${answer} />
  ${answer?.grade?.criteria.length ? html`<${GradeView} grade=${answer.grade} />` : ""}
  ${answer?.feedback && html`<p class="reason why">${!answer.isCorrect && answer.selectedOption && html`<small class="t12">${t("rs.thought")}</small><br />`}${answer.feedback}</p>`}
</li>`;

/** @param {{ question: AskedQuestion, answer: Answer | undefined }} props */
function Verdict({ question, answer }) {
  if (!answer || (answer.answerText === null && answer.selectedOption === null)) return html`<p class="chip">${t("rs.skipped")}</p>`;
  if (isNotKnown(question, answer)) return html`<p class="chip">${t("rs.not")}</p>`;
  if (answer.score === null && answer.feedback) return html`<p class="chip">${t("rs.unreadable")}</p>`;
  if (answer.score === null) return html`<p class="chip wait"><${Icon} name="hourglass" small />${t("rs.unmarked")}</p>`;
  if (answer.isCorrect) return html`<p class="chip leaf"><${Icon} name="check" small />${t("rs.right")}</p>`;
  return html`<p class="chip">${t(answer.score > 0 ? "rs.partly" : "rs.not")}</p>`;
}
