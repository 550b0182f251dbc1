// @ts-check
/** In place of a checkpoint: a question that was withdrawn, or words to a tutor that has asked nothing. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { onCtrlEnter, typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";
import { VerdictMark } from "../common/verdict_mark.js";

/** @import { OpenLesson } from "../../state/lesson.js" */

/** In place of a question that a second look took back. @param {{ lesson: OpenLesson, refusal: string | null }} props */
export function Withdrawn({ lesson, refusal }) {
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
export function FreeQuestion({ lesson, refusal }) {
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
