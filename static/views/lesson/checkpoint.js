// @ts-check
/** Form of the open checkpoint: question, hints, and the input that fits its kind. */

import { batch, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { onCtrlEnter, typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { connection } from "../../net/connection.js";
import { contest } from "../../net/teaching_api.js";
import { loadDraft, deleteDraft, saveDraft } from "../../state/drafts.js";
import { answerMessage, isHelpSaid } from "../../state/transcript.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";
import { Options } from "../common/choice_options.js";
import { Sure } from "../common/sure.js";
import { Compare } from "../common/compare.js";
import { ContestDialog } from "../common/contest_dialog.js";
import { Fault } from "../common/shell.js";
import { VerdictMark } from "../common/verdict_mark.js";
import { CodeField } from "../rich/editor.js";
import { languageIn } from "../rich/grammars.js";
import { Markdown } from "../rich/markdown.js";
import { ComparePassage } from "./compare_passage.js";
import { DrawingPad } from "./drawing.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Move } from "../../net/teaching_api.js" */
/** @import { Checkpoint, SelfMark } from "../../types.d.ts" */

/** Where the checkpoint is not docked, but scrolls. */
const narrow = matchMedia("(max-width: 1100px)");
const LONGEST = 8000;
const LARGEST_DRAWING = 7_000_000;
const KIND_WORDS = /** @type {const} */ ({
  text: "tu.in_text",
  code: "tu.in_code",
  draw: "tu.in_draw",
  mcq: "tu.in_mcq",
});

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
  const begun = loadDraft(question.id);
  const strokes = `${question.id}.strokes`;
  const words = useSignal(question.type === "mcq" ? "" : begun);
  const option = useSignal(question.options?.includes(begun) ? begun : null);
  const drawn = useSignal(/** @type {string | null} */ (null));
  const missing = useSignal(/** @type {string | null} */ (null));
  const sure = useSignal(false);
  const contesting = useSignal(false);
  const field = useRef(/** @type {HTMLElement | null} */ (null));
  const off = lesson.working.value;
  const options = question.options ?? [];
  const kept = useSignal(begun !== "");
  const keep = (/** @type {string} */ text) => {
    kept.value = saveDraft(question.id, text) && text !== "";
  };
  const asked = useFocus(lesson, field);
  const mine = lesson.turns.value.findLast((turn) => turn.who === "learner" && !turn.aside);
  const choose = (/** @type {string} */ one) => {
    option.value = one;
    keep(one);
  };
  const newestHelp = useRef(/** @type {HTMLElement | null} */ (null));
  const isHelpAsked = useRef(false);
  useEffect(() => {
    if (isHelpAsked.current && narrow.matches) newestHelp.current?.scrollIntoView({ block: "nearest" });
    isHelpAsked.current = false;
  }, [question.help.length]);
  useEffect(() => {
    if (mine?.text && mine.text === words.peek().trim()) heard();
  }, [mine?.id]); // also if the connection broke before the reply

  /** The answer arrived: clear the words; code and drawings stay while their question is open. */
  const heard = () => {
    const isOver = lesson.state.peek()?.question?.id !== question.id;
    if (isOver) [strokes, `${question.id}.begun`].forEach(deleteDraft);
    if (isOver || question.type === "text" || question.type === "mcq") {
      deleteDraft(question.id);
      batch(() => {
        words.value = "";
        option.value = null;
        kept.value = false;
      });
    }
  };
  const say = async (/** @type {string} */ text, /** @type {string | null} */ drawing = null) => {
    missing.value = null;
    const isSure = sure.value && question.type === "mcq";
    sure.value = false;
    return lesson.send({ content: answerMessage(question.type, text), text, aside: false, drawing, sure: isSure });
  };
  /** Ask for something by a button. @param {Move} move @param {string} text as it is shown */
  const push = (move, text) => {
    missing.value = null;
    isHelpAsked.current = move === "help";
    return lesson.send({ content: "", text, aside: false, drawing: null, move });
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (off) return;
    const text = question.type === "mcq" ? (option.value ?? "") : words.value.trim();
    const drawing = question.type === "draw" ? drawn.value : null;
    if (!text && !drawing) {
      missing.value = t(question.type === "draw" ? "tu.empty_draw" : question.type === "mcq" ? "dg.pick" : "tu.empty");
      field.current?.focus();
      return;
    }
    if (drawing && drawing.length > LARGEST_DRAWING) {
      missing.value = t("tu.too_big");
      return;
    }
    if (await say(text, drawing)) heard();
  };
  const write = (/** @type {string} */ text) => {
    words.value = text;
    keep(text);
  };
  const isDrawn = question.type === "draw";
  const lang = useMemo(
    () =>
      languageIn([
        about,
        ...(lesson.state.peek()?.cards ?? []).map((card) => card.body),
        ...lesson.turns.peek().map((turn) => turn.text),
        question.prompt,
      ]),
    [about, question.id],
  );

  const answerField = () => {
    if (question.type === "mcq")
      return html`<${Options}
        name="checkpoint"
        legend=${t("dg.choose")}
        options=${options}
        chosen=${option.value}
        off=${off}
        onChosen=${choose}
      /><${Sure}
        isSure=${sure.value}
        off=${off}
        onSure=${(/** @type {boolean} */ is) => {
          sure.value = is;
        }}
      />`;
    if (question.type === "code")
      return html`
        <${CodeField}
          id="answer"
          field=${field}
          text=${words.value}
          lang=${lang}
          off=${off}
          isWrong=${missing.value !== null}
          longest=${LONGEST}
          describedBy="asked code-keys"
          onText=${write}
          onSend=${submit}
        />
        <p class="t12 dimmer" id="code-keys">${t("tu.code_keys")}</p>
      `;
    return html`
      <label class=${isDrawn ? "lbl" : "vh"} for="answer">${t(isDrawn ? "tu.note_label" : "tu.answer_label")}</label>
      <textarea
        class="field"
        id="answer"
        ref=${field}
        rows=${isDrawn ? 2 : 3}
        maxlength=${LONGEST}
        readonly=${off}
        value=${words.value}
        onInput=${(/** @type {any} */ event) => write(event.target.value)}
        onKeyDown=${onCtrlEnter(submit)}
        aria-invalid=${missing.value ? "true" : undefined}
        aria-describedby="asked"
      ></textarea>
    `;
  };

  return html`<section class="cp" aria-label=${t("tu.checkpoint")}>
    <p class="cp-top">
      <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} />
      <b>${t("tu.checkpoint")}</b>
      <span>${t(KIND_WORDS[question.type])}</span>
      <${DraftNote} kept=${kept.value} />
    </p>
    <div class="q" id="asked" tabindex="-1" ref=${asked}><${Markdown} text=${question.prompt} /></div>
    ${question.help.map(
      (text, i) => html`<details
        class="cp-help"
        key=${i}
        ref=${newestHelp}
        open=${isHelpSaid(lesson.turns.value, text)}
      >
        <summary><b>${t("tu.help_at", { n: i + 1 })}</b></summary>
        <${Markdown} text=${text} />
      </details>`,
    )}
    ${question.compare ? comparison() : answerForm()}
    <div class="ways">
      <button class="link" type="button" disabled=${off} onClick=${() => push("show", t("tu.said_show"))}>
        ${t("tu.show")}
      </button>
      <button class="link" type="button" disabled=${off} onClick=${() => push("change", t("tu.said_change"))}>
        ${t("tu.change")}
      </button>
      <button
        class="link"
        type="button"
        disabled=${off}
        onClick=${() => {
          contesting.value = true;
        }}
      >
        ${t("tu.contest")}
      </button>
    </div>
    ${
      contesting.value &&
      html`<${LessonContest}
        lesson=${lesson}
        question=${question}
        onClose=${() => {
          contesting.value = false;
        }}
      />`
    }
  </section>`;

  function comparison() {
    const onMark = (/** @type {SelfMark} */ selfMark) =>
      lesson.send({ content: "", text: t("tu.said_compared"), aside: false, drawing: null, selfMark });
    return html`${refusal && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p>`}
      <${question.reading ? ComparePassage : Compare} compare=${question.compare} off=${off} onMark=${onMark} />`;
  }

  function answerForm() {
    return html`<form onSubmit=${submit}>
      ${
        question.type === "draw" &&
        html`<${DrawingPad}
          id=${strokes}
          off=${off}
          onDrawn=${(/** @type {string | null} */ picture) => {
            drawn.value = picture;
          }}
        />`
      }
      ${answerField()}
      ${
        (missing.value ?? refusal) &&
        html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${missing.value ?? refusal}</span></p>`
      }
      <div class="row cp-foot">
        <div class="row cp-go">
          <button class="btn go" type="submit" disabled=${off} aria-busy=${off || undefined}>
            ${t(off ? "tu.sending" : "tu.answer")}
          </button>
          <button class="btn" type="button" disabled=${off} onClick=${() => push("help", t("tu.said_help"))}>
            ${t(question.help.length ? "tu.help_more" : "tu.help")}
          </button>
        </div>
        <button class="btn" type="button" disabled=${off} onClick=${() => say(t("tu.said_idk"))}>${t("tu.idk")}</button>
        <a
          class="btn flat"
          href="#side"
          onClick=${(/** @type {Event} */ event) => {
            event.preventDefault();
            document.getElementById("side")?.focus();
          }}
        >
          <${Icon} name="chat" small />
          ${t("tu.aside")}
        </a>
      </div>
    </form>`;
  }
}

/**
 * A question that is found wrong is withdrawn, and the next one asked for.
 * @param {{ lesson: OpenLesson, question: Checkpoint, onClose: () => void }} props
 */
function LessonContest({ lesson, question, onClose }) {
  const busy = useSignal(false);
  const refusal = useSignal(/** @type {string | null} */ (null));
  const withdrawn = useSignal(false);
  const send = async (/** @type {string} */ reason) => {
    batch(() => {
      busy.value = true;
      refusal.value = null;
    });
    try {
      const result = await contest(question.id, reason);
      withdrawn.value = result.outcome === "wrong";
      return result;
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
      return null;
    } finally {
      busy.value = false;
    }
  };
  return html`<${ContestDialog}
    busy=${busy.value}
    refusal=${refusal.value}
    onSend=${send}
    onClose=${() => {
      onClose();
      if (withdrawn.value)
        lesson.send({ content: "", text: t("tu.said_change"), aside: false, drawing: null, move: "change" });
    }}
  />`;
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

/**
 * A focus that a turn has left nowhere comes back: to a new question, so that it is read, or to the field of one that
 * stays.
 * @param {OpenLesson} lesson
 * @param {{ current: HTMLElement | null }} field
 */
function useFocus(lesson, field) {
  const asked = useRef(/** @type {HTMLElement | null} */ (null));
  const off = lesson.working.value;
  const isNew = useRef(true);
  useEffect(() => {
    if (off) return;
    if (lesson.spoken.value && document.activeElement === document.body)
      (isNew.current ? asked : field.current ? field : asked).current?.focus({ preventScroll: true });
    isNew.current = false;
  }, [off]);
  return asked;
}

/** In place of a question that a second look took back. @param {{ lesson: OpenLesson, refusal: string | null }} props */
function Withdrawn({ lesson, refusal }) {
  const off = lesson.working.value;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  const next = () =>
    lesson.send({ content: "", text: t("tu.said_change"), aside: false, drawing: null, move: "change" });
  return html`<section class="cp" aria-label=${t("tu.withdrawn_label")} tabindex="-1" ref=${box}>
    <p class="verdict"><${VerdictMark} shape="unsure" /><b>${t("tu.withdrawn_label")}</b></p>
    <p class="cp-note" role="status">${t("tu.withdrawn")}</p>
    ${refusal && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p>`}
    <div class="row cp-foot">
      <button class="btn go" type="button" disabled=${off} aria-busy=${off || undefined} onClick=${next}>
        ${t(off ? "tu.sending" : "tu.next_question")}
      </button>
    </div>
  </section>`;
}

/** Words to a tutor that has asked nothing. @param {{ lesson: OpenLesson, refusal: string | null }} props */
function FreeQuestion({ lesson, refusal }) {
  const words = useSignal("");
  const missing = useSignal(false);
  const off = lesson.working.value;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = words.value.trim();
    missing.value = !text;
    if (text && !off && (await lesson.send({ content: text, text, aside: false, drawing: null }))) words.value = "";
  };
  return html`<section class="cp" aria-label=${t("tu.free_label")}>
    <form onSubmit=${submit}>
      <label class="lbl" for="answer">${t("tu.free_label")}</label>
      <textarea
        class="field"
        id="answer"
        rows="2"
        maxlength="2000"
        readonly=${off}
        value=${words.value}
        onKeyDown=${onCtrlEnter(submit)}
        onInput=${typedInto(words)}
      ></textarea>
      ${
        (missing.value || refusal) &&
        html`<p class="err" role="alert">
          <${Icon} name="warn" small />
          <span>${missing.value ? t("tu.empty_free") : refusal}</span>
        </p>`
      }
      <div class="row cp-foot">
        <button class="btn go" type="submit" disabled=${off} aria-busy=${off || undefined}>
          ${t(off ? "tu.sending" : "tu.free_send")}
        </button>
      </div>
    </form>
  </section>`;
}
