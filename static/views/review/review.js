// @ts-check
/** Review screen: one question after the other, then when each comes back. */

import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { openReview } from "../../state/review.js";
import { homeUrl } from "../../state/router.js";
import { Compare } from "../common/compare.js";
import { Fault, Loading, Shell } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";
import { Feedback } from "./feedback.js";
import { Finished } from "./finished.js";
import { QuestionForm } from "./question.js";
import { Segments } from "./segments.js";

/** @import { OpenReview } from "../../state/review.js" */
/** @import { ReviewResult, SelfMark } from "../../types.d.ts" */

export function ReviewScreen() {
  const opened = useMemo(() => openReview(), []);
  useEffect(() => {
    document.title = t("rv.page");
    return opened.close;
  }, [opened]);
  const crumbs = [
    { title: common("nav.today"), url: homeUrl() },
    { title: t("rv.title"), url: null },
  ];
  return html`<${Shell} crumbs=${crumbs}>${body(opened)}<//>`;
}

/** @param {OpenReview} opened */
function body(opened) {
  const problem = opened.problem.value;
  if (problem)
    return html`<div class="wrap blank"><${Fault} message=${problem.message} onRetry=${opened.load} /></div>`;
  if (opened.loading.value) return html`<${Loading} words=${t("rv.loading")} />`;
  const [session, result] = [opened.session.value, opened.result.value];
  if (!session || (session.endedAt && !result)) return html`<${Finished} opened=${opened} />`;
  return html`<section class="rv">
    <${Segments} session=${session} />
    ${result && html`<${Feedback} key=${result.itemId} opened=${opened} result=${result} />`}
    ${
      !result &&
      session.question &&
      html`<${QuestionForm} key=${session.question.questionId} opened=${opened} question=${session.question} />`
    }
    ${!result && session.comparing && html`<${Comparing} opened=${opened} answer=${session.comparing} />`}
  </section>`;
}

/** An answer in the learner's own words beside the model answer. @param {{ opened: OpenReview, answer: ReviewResult }} props */
const Comparing = ({ opened, answer }) => html`
  <div class="rv-asked"><${Markdown} text=${answer.prompt} /></div>
  ${
    answer.compare &&
    html`<${Compare}
      compare=${answer.compare}
      off=${opened.busy.value !== null}
      onMark=${(/** @type {SelfMark} */ mark) => opened.selfMark(answer.itemId, mark)}
    />`
  }
`;
