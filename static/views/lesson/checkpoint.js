// @ts-check
/** Open checkpoint: question, hints, the form for its answer or the comparison with the model answer, and the ways on. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { connection } from "../../net/connection.js";
import { loadDraft } from "../../state/drafts.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";
import { Compare } from "../common/compare.js";
import { Fault } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";
import { AnswerForm } from "./answer_form.js";
import { FreeQuestion, Withdrawn } from "./between_checkpoints.js";
import { useFocus } from "./checkpoint_focus.js";
import { ComparePassage } from "./compare_passage.js";
import { Ways } from "./checkpoint_ways.js";
import { Hints } from "./hints.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Checkpoint, SelfMark } from "../../types.d.ts" */

const FORM_WORDS = /** @type {const} */ ({
  number: "tu.in_number",
  term: "tu.in_term",
  words: "tu.in_words",
  choice: "tu.in_mcq",
});
const KIND_WORDS = /** @type {const} */ ({
  code: "tu.in_code",
  draw: "tu.in_draw",
  mcq: "tu.in_mcq",
});

/** The form of the answer in words. @param {Checkpoint} question */
const formWords = ({ type, form }) => (type === "text" ? FORM_WORDS[form] : KIND_WORDS[type]);

/** @param {{ lesson: OpenLesson, about: string }} props `about`: the titles of the lesson */
export function CheckpointForm({ lesson, about }) {
  const question = lesson.state.value?.question;
  const refusal = lesson.refusal.value;
  if (!question && lesson.withdrawn.value) return html`<${Withdrawn} lesson=${lesson} refusal=${refusal} />`;
  if (!question && lesson.turns.value.length) return html`<${FreeQuestion} lesson=${lesson} refusal=${refusal} />`;
  if (!question)
    return refusal && html`<section class="cp"><${Fault} message=${refusal} onRetry=${lesson.again} /></section>`;
  return html`<${OpenCheckpoint}
    key=${question.id}
    lesson=${lesson}
    about=${about}
    question=${question}
    refusal=${refusal}
  />`;
}

/** @param {{ lesson: OpenLesson, about: string, question: Checkpoint, refusal: string | null }} props */
function OpenCheckpoint({ lesson, about, question, refusal }) {
  const kept = useSignal(loadDraft(question.id) !== "");
  const field = useRef(/** @type {HTMLElement | null} */ (null));
  const isHelpAsked = useRef(false);
  const readHints = useSignal(/** @type {number[]} */ ([]));
  const asked = useFocus(lesson, field);
  return html`<section class=${question.gap ? "cp gap" : "cp"} aria-label=${t("tu.checkpoint")}>
    <p class="cp-top">
      <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} />
      <b>${t("tu.checkpoint")}</b>
      <span>${t(question.gap ? "tu.gap" : formWords(question))}</span>
      <${DraftNote} kept=${kept.value && !question.compare} />
    </p>
    <div class="q" id="asked" tabindex="-1" ref=${asked}><${Markdown} text=${question.prompt} /></div>
    <${Hints} lesson=${lesson} question=${question} read=${readHints} asked=${isHelpAsked} />
    ${
      question.compare
        ? html`<${Comparison} lesson=${lesson} question=${question} refusal=${refusal} />`
        : html`<${AnswerForm}
            lesson=${lesson}
            about=${about}
            question=${question}
            refusal=${refusal}
            field=${field}
            kept=${kept}
            readHints=${readHints}
            helpAsked=${isHelpAsked}
          />`
    }
    <${Ways} lesson=${lesson} question=${question} />
  </section>`;
}

/** @param {{ lesson: OpenLesson, question: Checkpoint, refusal: string | null }} props */
function Comparison({ lesson, question, refusal }) {
  const onMark = (/** @type {SelfMark} */ selfMark) =>
    lesson.send({ content: "", text: t("tu.said_compared"), aside: false, drawing: null, selfMark });
  const shown = { compare: question.compare, off: lesson.working.value, onMark };
  return html`${refusal && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p>`}
    ${
      question.reading
        ? html`<${ComparePassage} ...${shown} reading=${question.reading} />`
        : html`<${Compare} ...${shown} />`
    }`;
}

/** Note beside the form: whether unsent words are kept in this browser. @param {{ kept: boolean }} props */
function DraftNote({ kept }) {
  const { state } = connection.value;
  if (state === "offline" || state === "waiting")
    return html`<span class="status wait">
      <${Icon} name="hourglass" small />
      ${t(kept ? "tu.offline_kept" : "tu.offline")}
    </span>`;
  return kept ? html`<span class="status"><${Icon} name="check" small />${t("tu.draft")}</span>` : "";
}
