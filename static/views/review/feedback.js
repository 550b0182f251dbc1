// @ts-check
/** Feedback on a review's answer: verdict, the answer, why, the passage, and when the part comes back. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { serverNow } from "../../net/api.js";
import { lessonUrl } from "../../state/router.js";
import { ContestDialog } from "../common/contest_dialog.js";
import { GradeView } from "../common/grade.js";
import { Icon } from "../common/icons.js";
import { VerdictMark } from "../common/verdict_mark.js";
import { ReadAloud } from "../common/voice.js";
import { Markdown } from "../rich/markdown.js";
import { placeOf } from "../lesson/citations.js";
import { comesBackDay } from "./days.js";

/** @import { OpenReview } from "../../state/review.js" */
/** @import { ReviewGrade, ReviewResult } from "../../types.d.ts" */

const SHAPES = /** @type {const} */ ({ right: "met", partly: "partly", not_yet: "missing", not_known: "missing" });
const VERDICTS = /** @type {const} */ ({
  right: "rv.right",
  partly: "rv.partly",
  not_yet: "rv.not_yet",
  not_known: "rv.not_known",
});
const GRADES = /** @type {const} */ ({ again: "rv.again", hard: "rv.hard", good: "rv.good", easy: "rv.easy" });
const FITS = /** @type {const} */ ({
  again: "rv.fits_again",
  hard: "rv.fits_hard",
  good: "rv.fits_good",
  easy: "rv.fits_easy",
});
/** @type {ReviewGrade[]} */
const ORDER = ["again", "hard", "good", "easy"];

/** @param {{ opened: OpenReview, result: ReviewResult }} props */
export function Feedback({ opened, result }) {
  const contesting = useSignal(false);
  const mark = /** @type {keyof typeof SHAPES} */ (result.mark);
  const wasSure = result.sure && mark !== "right";
  return html`<div class="rv-after">
    <p class="verdict" role="status">
      <${VerdictMark} shape=${SHAPES[mark]} />
      <span>
        <b>${t(VERDICTS[mark])}</b>
        ${mark === "not_known" && result.comesBack && html` ${t("rv.not_known_text")}`}
      </span>
    </p>
    <div class="rv-asked" role="heading" aria-level="1"><${Markdown} text=${result.prompt} /></div>
    ${wasSure && html`<p class="rv-sure dim">${t("rv.sure_missed")}</p><${Thought} result=${result} />`}
    <${Answers} result=${result} />
    ${result.criteria.length > 0 && html`<${GradeView} grade=${result} words=${result.said} />`}
    <${Told} result=${result} withThought=${!wasSure} />
    <p>
      <button
        class="btn link sm"
        type="button"
        onClick=${() => {
          contesting.value = true;
        }}
      >
        ${t("rv.disagree")}
      </button>
    </p>
    ${
      opened.refusal.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${opened.refusal.value}</span></p>`
    }
    ${
      isGraded(result)
        ? html`<${Grades} opened=${opened} result=${result} off=${contesting.value} />`
        : html`<${Missed} opened=${opened} result=${result} />`
    }
    ${
      contesting.value &&
      html`<${ContestDialog}
        busy=${opened.busy.value === "contest"}
        refusal=${opened.refusal.value}
        onSend=${(/** @type {string} */ reason) => opened.contest(result.questionId, reason)}
        onClose=${(/** @type {boolean} */ wasSent) => {
          contesting.value = false;
          if (wasSent) opened.refresh();
        }}
      />`
    }
  </div>`;
}

/**
 * Belief behind a wrong answer, and a case to test it on. It comes before the answer to who was sure.
 * @param {{ result: ReviewResult }} props
 */
const Thought = ({ result: { feedback, contrast } }) =>
  (feedback || contrast) &&
  html`<section class="rv-because quiet">
    <h2>${t("rv.thought")}</h2>
    ${feedback && html`<p class="say">${feedback}</p>`}
    ${contrast && html`<div class="say"><${Markdown} text=${contrast} /></div>`}
  </section>`;

/**
 * The belief behind a wrong answer, why the right one holds, and the passage: read aloud at will.
 * @param {{ result: ReviewResult, withThought: boolean }} props
 */
const Told = ({ result, withThought }) =>
  ((withThought && (result.feedback || result.contrast)) || result.why || result.passage) &&
  html`<div class="rv-told">
    ${withThought && html`<${Thought} result=${result} />`}
    ${
      result.why &&
      html`<section class="rv-because">
        <h2>${t("rv.why")}</h2>
        <div class="say"><${Markdown} text=${result.why} /></div>
      </section>`
    }
    ${
      result.passage &&
      html`<section class="rv-because quiet">
        <h2>${t("rv.notes")}</h2>
        <div class="say dim"><${Markdown} text=${result.passage.text} /></div>
        <p class="rv-place">
          <${Icon} name="doc" small />
          ${placeOf({ ...result.passage, passageId: result.passage.id })}
        </p>
      </section>`
    }
    <${ReadAloud} of=".rv-told" />
  </div>`;

/** Whether there is something to choose: a miss comes back today, and a second answer in one sitting moves no date. */
const isGraded = (/** @type {ReviewResult} */ { choices }) => new Set(choices.map(({ dueAt }) => dueAt)).size > 1;

/** The learner's answer and the right one; the other options are folded. @param {{ result: ReviewResult }} props */
function Answers({ result }) {
  const { said, answer, mark, options } = result;
  const isRight = mark === "right";
  const others = (options ?? []).filter((one) => one !== said && one !== answer);
  return html`<ul class="rv-answers" aria-label=${t("rv.options")}>
      ${
        said &&
        html`<li class=${isRight ? "right" : ""}>
          <${VerdictMark} shape=${SHAPES[/** @type {keyof typeof SHAPES} */ (mark)]} />
          <span class="say">${said}</span>
          <small>${t("rv.yours")}</small>
        </li>`
      }
      ${
        answer &&
        !(isRight && (said === answer || options)) &&
        html`<li class="right">
          <${VerdictMark} shape="met" />
          <div class="say"><${Markdown} text=${answer} /></div>
          <small>${t("rv.the_answer")}</small>
        </li>`
      }
    </ul>
    ${
      others.length > 0 &&
      html`<details class="rv-others">
        <summary>${t("rv.others", { n: others.length })}</summary>
        <ul>${others.map((one) => html`<li key=${one} class="say">${one}</li>`)}</ul>
      </details>`
    }`;
}

/**
 * Focus the button that Enter shall press, once it can be pressed, and show the verdict above it.
 * @param {{ current: HTMLButtonElement | null }} button
 * @param {boolean} busy
 */
function useFocus(button, busy) {
  useLayoutEffect(() => {
    if (busy) return;
    scrollTo(0, 0);
    button.current?.focus({ preventScroll: true });
  }, [busy]);
}

/** When to see it again: the grade that fits is filled, Enter takes it, 1 to 4 choose. @param {{ opened: OpenReview, result: ReviewResult, off: boolean }} props */
function Grades({ opened, result, off }) {
  const fitting = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const busy = opened.busy.value !== null;
  const fits = result.fits ?? "good";
  useFocus(fitting, busy);
  useLayoutEffect(() => {
    const key = (/** @type {KeyboardEvent} */ event) => {
      if (off || busy || event.ctrlKey || event.metaKey || event.altKey) return;
      const chosen = ORDER[Number(event.key) - 1];
      if (result.choices.some(({ grade }) => grade === chosen)) opened.grade(chosen);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [off, busy]);
  return html`<div class="rv-foot">
    <p class="rv-when">
      <b>${t("rv.again_at")}</b>
      <span>
        ${t(FITS[fits], { n: Math.round(result.seconds) })}
        <span class="hide-s"> · <kbd>${t("rv.keys")}</kbd></span>
      </span>
    </p>
    <p class="rv-then">${t(opened.session.value?.endedAt ? "rv.choice_ends" : "rv.choice_next")}</p>
    <div class="rv-grades">
      ${result.choices.map(
        ({ grade, dueAt }) => html`<button
          key=${grade}
          class=${`btn ${grade === fits ? "go" : ""}`}
          type="button"
          disabled=${busy}
          aria-keyshortcuts=${ORDER.indexOf(grade) + 1}
          ref=${grade === fits ? fitting : undefined}
          onClick=${() => opened.grade(grade)}
        >
          <span>${t(GRADES[grade])}${grade === fits && html`<${Icon} name="arrow" small />`}</span>
          <small>${grade === "again" ? t("rv.today") : comesBackDay(dueAt, serverNow())}</small>
        </button>`,
      )}
    </div>
  </div>`;
}

/** A miss, or an answer that moves no date: it only says when the part comes back. @param {{ opened: OpenReview, result: ReviewResult }} props */
function Missed({ opened, result }) {
  const next = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const busy = opened.busy.value !== null;
  useFocus(next, busy);
  const missed = result.mark !== "right";
  const [choice] = result.choices;
  const back = choice ? t("rv.back_on", { day: comesBackDay(choice.dueAt, serverNow(), { inSentence: true }) }) : "";
  return html`<div class="rv-foot">
    <p class="rv-when">
      <b>${result.comesBack ? t("rv.back_today") : back}</b>
      <span>${result.comesBack ? t("rv.back_today_as") : ""}</span>
    </p>
    <div class="rv-acts">
      <button class="btn go" type="button" disabled=${busy} ref=${next} onClick=${opened.next}>
        ${t("rv.continue")}
      </button>
      ${
        missed &&
        result.nodeId &&
        html`<a class="btn" href=${lessonUrl(result.branchId ?? "", result.conceptId ?? "", result.nodeId)}>
          ${t("rv.lesson")}
        </a>`
      }
    </div>
  </div>`;
}
