// @ts-check
/** Side column of a lesson: side questions, and the cited passage. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { onCtrlEnter } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { loadDraft, saveDraft } from "../../state/drafts.js";
import { sideQuestionMessage } from "../../state/transcript.js";
import { Icon } from "../common/icons.js";
import { Markdown } from "../rich/markdown.js";
import { CitationChips, PassageNote } from "./citations.js";
import { Waiting } from "../common/waiting.js";

/** @import { Signal } from "@preact/signals" */
/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Citation } from "../../types.d.ts" */

/**
 * @param {{
 *   lesson: OpenLesson,
 *   isAsked: boolean,
 *   cited: Signal<Citation | null>,
 *   onCite: (citation: Citation) => void,
 *   onRead: (citation: Citation) => void,
 * }} props `isAsked`: whether the learner sees an open question
 */
export const SideColumn = ({
  lesson,
  isAsked,
  cited,
  onCite,
  onRead,
}) => html`<aside class="notes" aria-label=${t("tu.aside_label")} id="aside">
  ${
    cited.value &&
    html`<${PassageNote}
      key=${cited.value.passageId}
      citation=${cited.value}
      onRead=${onRead}
      onClose=${() => {
        cited.value = null;
      }}
    />`
  }
  <${Questions} lesson=${lesson} isAsked=${isAsked} onCite=${onCite} />
</aside>`;

/** @param {boolean} isAsked @param {boolean} hasAsked */
function invitation(isAsked, hasAsked) {
  if (!isAsked) return t("tu.aside_over");
  return t(hasAsked ? "tu.aside_more" : "tu.aside_text");
}

/** @param {{ lesson: OpenLesson, isAsked: boolean, onCite: (citation: Citation) => void }} props */
function Questions({ lesson, isAsked, onCite }) {
  const words = useSignal("");
  const draft = lesson.session.value && `${lesson.session.value.id}.aside`;
  useEffect(() => {
    if (draft) words.value = loadDraft(draft);
  }, [draft]);
  const turns = lesson.turns.value.filter((turn) => turn.aside);
  const sending = lesson.sending.value;
  const asking = sending?.aside ?? false;
  const off = lesson.working.value;
  const write = (/** @type {string} */ text) => {
    words.value = text;
    if (draft) saveDraft(draft, text);
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = words.value.trim();
    if (!text || off) return;
    if (
      (await lesson.send({ content: sideQuestionMessage(text), text, aside: true, drawing: null })) &&
      words.peek().trim() === text
    )
      write(""); // text typed meanwhile stays
  };
  /** Escape returns to the checkpoint. @param {KeyboardEvent} event */
  const keys = (event) => {
    if (event.key === "Escape") (document.getElementById("answer") ?? document.getElementById("asked"))?.focus();
    else onCtrlEnter(submit)(event);
  };
  return html`<section class=${turns.length || asking ? "note live" : "note"}>
    <h2><${Icon} name="chat" small />${t("tu.aside")}</h2>
    ${turns.map((turn) =>
      turn.who === "learner"
        ? html`<p class="you" key=${turn.id}>${turn.text}</p>`
        : html`<div class="say dim" key=${turn.id}>
            <${Markdown} text=${turn.text} />
            <${CitationChips} citations=${turn.citations} onCite=${onCite} />
          </div>`,
    )}
    ${
      asking &&
      html`
        ${lesson.unheard.value && html`<p class="you">${sending?.text}</p>`}
        ${
          lesson.live.value
            ? html`<div class="say dim"><${Markdown} text=${lesson.live.value} /><span class="caret"></span></div>`
            : html`<${Waiting} words=${t("tu.thinking")} />`
        }
      `
    }
    ${
      lesson.ended.value &&
      lesson.refusal.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${lesson.refusal.value}</span></p>`
    }
    <form onSubmit=${submit}>
      <label class="vh" for="side">${t("tu.aside_label")}</label>
      <textarea
        class="field"
        id="side"
        rows="1"
        maxlength="2000"
        placeholder=${invitation(isAsked, turns.length > 0)}
        value=${words.value}
        onInput=${(/** @type {any} */ event) => write(event.target.value)}
        onKeyDown=${keys}
      ></textarea>
      <button class="btn sm" type="submit" disabled=${off || !words.value.trim()}>${t("tu.aside_send")}</button>
    </form>
  </section>`;
}
