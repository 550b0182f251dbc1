// @ts-check
/** Results of the diagnostic: each answer with its outcome, and the changes to the path. */

import { useEffect } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { t as onward } from "../../i18n/next.js";
import { html } from "../../lib/html.js";
import { pathUrl } from "../../state/router.js";
import { markSpans } from "../../state/transcript.js";
import { Changes, adaptationsIn } from "../common/changes.js";
import { Compare } from "../common/compare.js";
import { GradeView } from "../common/grade.js";
import { Icon } from "../common/icons.js";
import { Fault, Loading } from "../common/shell.js";
import { FirstLesson } from "./first_lesson.js";
import { Markdown } from "../rich/markdown.js";
import { placeOf } from "./citations.js";

/** @import { AdaptationState, OpenDiagnostic } from "../../state/diagnostic.js" */
/** @import { Answer, AskedQuestion, SelfMark } from "../../types.d.ts" */

/** @param {{ opened: OpenDiagnostic, around: import("../common/path_context.js").PathContext | null }} props */
export function Results({ opened, around }) {
  useEffect(() => {
    opened.refreshChanges();
    if (opened.given.value.length) opened.adapt();
    document.getElementById("main")?.focus({ preventScroll: true });
  }, []);
  const { questions, newest } = opened;
  const asked = questions.value.filter((each) => newest.value.has(each.id));
  const fitting = opened.adaptation.value;
  const outcomes = asked.map((each) => outcomeOf(newest.value.get(each.id), fitting));
  const count = (/** @type {AnswerOutcome[]} */ ...of) => outcomes.filter((outcome) => of.includes(outcome)).length;
  const marked = count("right", "partly", "not");
  const unread = count("unmarked");
  const toCompare = count("compare");
  const left = count("skipped", "not_known");
  const listed = adaptationsIn(opened.changes.value);
  return html`<section class="rs wrap">
    <h1 class="t24">${t("rs.title")}</h1>
    <div class="rs-sum" role="status">
      <p class="say-lg">${marked ? t("rs.summary", { right: count("right"), n: marked }) : t("rs.none_marked")}</p>
      ${left > 0 && html`<p class="dim">${t("rs.left", { n: left })}</p>`}
      ${toCompare > 0 && html`<p class="dim">${t("rs.to_compare", { n: toCompare })}</p>`}
      ${unread > 0 && fitting === "going" && html`<p class="dim">${t("rs.waiting", { n: unread })}</p>`}
    </div>
    <p class="rs-dots" aria-hidden="true">
      ${questions.value.map(
        (question) => html`<${Dot} key=${question.id} standing=${outcomeOf(newest.value.get(question.id), fitting)} />`,
      )}
    </p>
    <section class="rs-changes" aria-labelledby="changed">
      <h2 class="t18" id="changed">${t("rs.changes")}</h2>
      <div role="status">
        ${
          fitting === "going" &&
          html`<p class="growing"><span class="pulse"></span><span>${t("rs.changing")}</span></p>`
        }
        ${fitting === "done" && !listed.length && html`<p class="dim">${t("rs.unchanged")}</p>`}
      </div>
      ${
        fitting === "failed" &&
        html`<${Fault}
          message=${opened.refusal.value ?? t("rs.change_failed")}
          onRetry=${() => opened.adapt({ again: true })}
        />`
      }
      <${Changes} changes=${opened.changes.value} all=${around?.all ?? new Map()} onUndone=${opened.refreshChanges} />
      <div class="row dg-foot">
        ${
          fitting === "going"
            ? html`<${Loading} words=${onward("next.loading")} isWrapped=${false} />`
            : html`<${FirstLesson} conceptId=${opened.conceptId} turn=${fitting} />`
        }
        <a class="btn" href=${pathUrl(opened.branchId, opened.conceptId)}>${t("rs.back")}</a>
      </div>
    </section>
    <h2 class="t18 rs-each">${t("rs.each")}</h2>
    <ol class="rs-list">
      ${questions.value.map(
        (question) => html`<${AnsweredQuestion}
          key=${question.id}
          opened=${opened}
          question=${question}
          answer=${newest.value.get(question.id)}
        />`,
      )}
    </ol>
  </section>`;
}

/**
 * @typedef {"skipped" | "not_known" | "not" | "unreadable" | "unmarked" | "compare" | "compared" | "right" | "partly"}
 *   AnswerOutcome
 */

/**
 * @param {Answer | undefined} answer
 * @param {AdaptationState} fitting once the path is adapted, no answer waits to be marked any more
 * @returns {AnswerOutcome}
 */
function outcomeOf(answer, fitting) {
  if (!answer || (answer.answerText === null && answer.selectedOption === null)) return "skipped";
  if (answer.skipped) return "not_known";
  if (answer.grade?.state === "self_marked") return "compared";
  if (answer.compare) return "compare";
  if (answer.score === null) return answer.feedback || fitting === "done" ? "unreadable" : "unmarked";
  return answer.isCorrect ? "right" : answer.score > 0 ? "partly" : "not";
}

const DOTS = {
  skipped: "unsure",
  not_known: "unsure",
  unreadable: "unsure",
  unmarked: "unsure",
  compare: "unsure",
  compared: "partly",
  not: "missing",
  right: "met",
  partly: "partly",
};
/** @type {Record<AnswerOutcome, string>} */
const OUTCOME_TONES = {
  skipped: "",
  not_known: "",
  unreadable: "",
  unmarked: "wait",
  compare: "",
  compared: "",
  not: "",
  right: "leaf",
  partly: "",
};
const WORDS = /** @type {const} */ ({
  skipped: "rs.skipped",
  not_known: "rs.not_known",
  unreadable: "rs.unreadable",
  unmarked: "rs.unmarked",
  compare: "rs.compare",
  compared: "vd.compared",
  not: "rs.not",
  right: "rs.right",
  partly: "rs.partly",
});

/** @param {{ standing: AnswerOutcome }} props */
const Dot = ({ standing }) => html`<i class="mark ${DOTS[standing]}" aria-hidden="true"></i>`;

/** @param {{ opened: OpenDiagnostic, question: AskedQuestion, answer: Answer | undefined }} props */
function AnsweredQuestion({ opened, question, answer }) {
  const standing = outcomeOf(answer, opened.adaptation.value);
  const words = answer?.selectedOption ?? answer?.answerText;
  const spans = answer?.grade?.criteria.map((one) => one.span) ?? [];
  return html`<li class="rs-item">
    <${Dot} standing=${standing} />
    <div>
      <div class="rs-q say"><${Markdown} text=${question.prompt} /></div>
      ${
        words &&
        standing !== "not_known" &&
        !answer?.compare &&
        html`<div class="rs-said">
          <small>${t(answer?.selectedOption ? "rs.chose" : "rs.yours")}</small>
          ${
            answer?.selectedOption
              ? html`<${Markdown} text=${words} />`
              : markSpans(words, spans).map(({ text, marked }) => (marked ? html`<mark>${text}</mark>` : text))
          }
        </div>`
      }
      <${OutcomeChip} standing=${standing} />
      ${
        answer?.compare &&
        html`<${Compare}
          compare=${answer.compare}
          off=${opened.busy.value !== null}
          onMark=${(/** @type {SelfMark} */ mark) => opened.selfMark(answer, mark)}
          isFilled=${false}
        />`
      }
      ${
        answer?.answer &&
        standing !== "right" &&
        html`<div class="rs-said">
          <small>${t("rs.right_answer")}</small>
          <${Markdown} text=${answer.answer} />
        </div>`
      }
      ${answer?.grade?.criteria.length ? html`<${GradeView} grade=${answer.grade} words=${words ?? ""} />` : ""}
      ${
        answer?.feedback &&
        html`<p class="reason why">
          ${
            standing === "not" &&
            html`<small class="t12">${t(answer.selectedOption ? "rs.thought" : "rs.behind")}</small><br />`
          }
          ${answer.feedback}
        </p>`
      }
      ${
        answer?.why &&
        html`<div class="rs-why">
          <small>${t("rs.why")}</small>
          <${Markdown} text=${answer.why} />
        </div>`
      }
      ${
        answer?.passage &&
        html`<details class="rs-notes">
          <summary>${t("rs.notes", { place: placeOf({ ...answer.passage, passageId: answer.passage.id }) })}</summary>
          <div class="dim"><${Markdown} text=${answer.passage.text} /></div>
        </details>`
      }
    </div>
  </li>`;
}

/** @param {{ standing: AnswerOutcome }} props */
const OutcomeChip = ({ standing }) =>
  html`<p class=${`chip ${OUTCOME_TONES[standing]}`.trim()}>
    ${standing === "right" && html`<${Icon} name="check" small />`}
    ${standing === "unmarked" && html`<${Icon} name="hourglass" small />`}
    ${t(WORDS[standing])}
  </p>`;
