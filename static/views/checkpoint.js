// @ts-check
/** The open checkpoint: its question, the help that was used, and the right way to answer it. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import { Markdown } from "../markdown.js";
import { answerOf } from "../talk.js";
import { DrawingPad } from "./drawing.js";
import { Icon } from "./icons.js";
import { Options, chosenKey } from "./options.js";

/** @import { OpenLesson } from "../lesson.js" */
/** @import { AnswerType, Checkpoint } from "../types.d.ts" */

const LEVELS = 4;
const INDENT = "    ";
const LARGEST_DRAWING = 7_000_000;
const KIND_WORDS = /** @type {const} */ ({ text: "tu.in_text", code: "tu.in_code", draw: "tu.in_draw", mcq: "tu.in_mcq" });

/** @param {{ lesson: OpenLesson }} props */
export function CheckpointForm({ lesson }) {
  const question = lesson.state.value?.question;
  const helpLevel = lesson.state.value?.helpLevel ?? 0;
  const refusal = lesson.refusal.value;
  if (!question) return refusal ? html`<section class="cp"><p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p></section>` : "";
  return html`<${Open} key=${question.id} lesson=${lesson} question=${question} helpLevel=${helpLevel} refusal=${refusal} />`;
}

/** @param {{ lesson: OpenLesson, question: Checkpoint, helpLevel: number, refusal: string | null }} props */
function Open({ lesson, question, helpLevel, refusal }) {
  const draft = `sprout.draft.${question.id}`;
  const words = useSignal(localStorage.getItem(draft) ?? "");
  const option = useSignal(/** @type {string | null} */ (null));
  const drawn = useSignal(/** @type {string | null} */ (null));
  const missing = useSignal(/** @type {string | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const off = lesson.working.value;
  const options = question.options ?? [];

  useEffect(() => {
    if (!options.length) return;
    const key = (/** @type {KeyboardEvent} */ event) => { option.value = chosenKey(event, options) ?? option.value; };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [question.id]);

  const say = async (/** @type {AnswerType} */ mode, /** @type {string} */ text, /** @type {string | null} */ drawing = null) => {
    missing.value = null;
    if (await lesson.send({ content: answerOf(mode, text), text, aside: false, drawing })) {
      localStorage.removeItem(draft);
      words.value = "";
      drawn.value = null;
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (off) return;
    const text = question.type === "mcq" ? option.value ?? "" : words.value.trim();
    const drawing = question.type === "draw" ? drawn.value : null;
    if (!text && !drawing) { missing.value = t(question.type === "draw" ? "tu.empty_draw" : question.type === "mcq" ? "dg.pick" : "tu.empty"); field.current?.focus(); return; }
    if (drawing && drawing.length > LARGEST_DRAWING) { missing.value = t("tu.too_big"); return; }
    say(question.type, text, drawing);
  };
  const write = (/** @type {any} */ event) => { words.value = event.target.value; localStorage.setItem(draft, words.value); };
  const isCode = question.type === "code";
  const label = isCode ? "tu.code_label" : question.type === "draw" ? "tu.note_label" : "tu.answer_label";

  return html`<section class="cp" aria-label=${t("tu.checkpoint")}>
    <p class="cp-top"><b>${t("tu.checkpoint")}</b><span>${t(KIND_WORDS[question.type])}</span>${words.value && question.type !== "mcq" && html`<span class="status"><${Icon} name="check" small />${t("tu.draft")}</span>`}</p>
    <div class="q"><${Markdown} text=${question.prompt} /></div>
    <form onSubmit=${submit}>
      ${question.type === "draw" && html`<${DrawingPad} off=${off} onDrawn=${(/** @type {string | null} */ picture) => { drawn.value = picture; }} />`}
      ${question.type === "mcq"
        ? html`<${Options} name="checkpoint" legend=${t("dg.choose")} options=${options} chosen=${option} off=${off} />`
        : html`<label class=${question.type === "draw" ? "lbl" : "vh"} for="answer">${t(label)}</label>
          <textarea class=${isCode ? "field code" : "field"} id="answer" ref=${field} rows=${isCode ? 7 : question.type === "draw" ? 2 : 3} maxlength="8000" spellcheck=${isCode ? "false" : undefined} readonly=${off}
            value=${words.value} onInput=${write} onKeyDown=${isCode ? indents : enters(submit)} aria-invalid=${missing.value ? "true" : undefined} aria-describedby=${isCode ? "code-keys" : undefined}></textarea>
          ${isCode && html`<p class="t12 dimmer" id="code-keys">${t("tu.code_keys")}</p>`}`}
      ${(missing.value ?? refusal) && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${missing.value ?? refusal}</span></p>`}
      <div class="row cp-foot">
        <button class="btn go" type="submit" disabled=${off} aria-busy=${off || undefined}>${t(off ? "tu.sending" : "tu.answer")}</button>
        <button class="btn" type="button" disabled=${off} onClick=${() => say(question.type, t("tu.said_idk"))}>${t("tu.idk")}</button>
        <a class="btn flat" href="#side" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("side")?.focus(); }}>${t("tu.aside")}</a>
        <${Ladder} level=${helpLevel} off=${off} onMore=${() => say(question.type, t("tu.said_help"))} />
      </div>
    </form>
  </section>`;
}

/** @param {{ level: number, off: boolean, onMore: () => void }} props */
const Ladder = ({ level, off, onMore }) => html`<div class="ladder" role="group" aria-label=${t("tu.ladder", { n: level })}>
  ${Array.from({ length: LEVELS }, (_, i) => html`<i key=${i} class=${i < level ? "on" : ""}></i>`)}
  <button class="link" type="button" disabled=${off} onClick=${onMore}>${t("tu.help")}</button></div>`;

/** Ctrl or Cmd with Enter sends. @param {(event: Event) => void} submit */
const enters = (submit) => (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event); };

let leaving = false;
/** Tab indents in code; after Escape it leaves, as everywhere. @param {any} event */
function indents(event) {
  if (event.key === "Escape") { leaving = true; event.preventDefault(); return; }
  if (event.key !== "Tab" || event.shiftKey || leaving) { leaving = false; return; }
  event.preventDefault();
  event.target.setRangeText(INDENT, event.target.selectionStart, event.target.selectionEnd, "end");
  event.target.dispatchEvent(new Event("input", { bubbles: true }));
}
