// @ts-check
/** Form for an answer: the input that fits the kind of its checkpoint, and a draft that is kept in this browser. */

import { batch, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { onCtrlEnter } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { loadDraft, deleteDraft, saveDraft } from "../../state/drafts.js";
import { answerMessage, firstClosedHint } from "../../state/transcript.js";
import { Icon } from "../common/icons.js";
import { Options } from "../common/choice_options.js";
import { Sure } from "../common/sure.js";
import { Dictate } from "../common/voice.js";
import { CodeField } from "../rich/editor.js";
import { languageIn } from "../rich/grammars.js";
import { DrawingPad } from "./drawing.js";

/** @import { Signal } from "@preact/signals" */
/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Checkpoint } from "../../types.d.ts" */

const LONGEST = 8000;
const LARGEST_DRAWING = 7_000_000;

/**
 * @param {{ lesson: OpenLesson, about: string, question: Checkpoint, refusal: string | null,
 *   field: { current: HTMLElement | null }, kept: Signal<boolean>, readHints: Signal<number[]>,
 *   helpAsked: { current: boolean } }} props `kept`: whether a draft is kept; `readHints`: those that the learner has
 *   opened; `helpAsked`: whether the learner waits for a hint
 */
export function AnswerForm({ lesson, about, question, refusal, field, kept, readHints, helpAsked }) {
  const begun = loadDraft(question.id);
  const strokes = `${question.id}.strokes`;
  const words = useSignal(question.type === "mcq" ? "" : begun);
  const option = useSignal(question.options?.includes(begun) ? begun : null);
  const drawn = useSignal(/** @type {string | null} */ (null));
  const missing = useSignal(/** @type {string | null} */ (null));
  const sure = useSignal(false);
  const off = lesson.working.value;
  const isDrawn = question.type === "draw";
  const keep = (/** @type {string} */ text) => {
    kept.value = saveDraft(question.id, text) && text !== "";
  };
  const mine = lesson.turns.value.findLast((turn) => turn.who === "learner" && !turn.aside);
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
  const closed = firstClosedHint(lesson.turns.value, question.help, readHints.value);
  const askForHelp = () => {
    missing.value = null;
    helpAsked.current = true;
    if (closed >= 0) readHints.value = [...readHints.value, closed];
    else lesson.send({ content: "", text: t("tu.said_help"), aside: false, drawing: null, move: "help" });
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (off) return;
    const text = question.type === "mcq" ? (option.value ?? "") : words.value.trim();
    const drawing = isDrawn ? drawn.value : null;
    if (!text && !drawing) {
      missing.value = t(isDrawn ? "tu.empty_draw" : question.type === "mcq" ? "dg.pick" : "tu.empty");
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
        options=${question.options ?? []}
        chosen=${option.value}
        off=${off}
        onChosen=${(/** @type {string} */ one) => {
          option.value = one;
          keep(one);
        }}
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
      <div class="voiced">
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
        <${Dictate} field=${field} about=${question.prompt} off=${off} onWords=${write} />
      </div>
    `;
  };

  return html`<form onSubmit=${submit}>
    ${
      isDrawn &&
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
        <button class="btn" type="button" disabled=${off} onClick=${askForHelp}>
          ${closed >= 0 ? t("tu.help_open", { n: closed + 1 }) : t(question.help.length ? "tu.help_more" : "tu.help")}
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
