// @ts-check
/** Ways on from a checkpoint that are there at any time: its solution, another question, an objection. */

import { batch, useSignal } from "@preact/signals";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { contest } from "../../net/teaching_api.js";
import { ContestDialog } from "../common/contest_dialog.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Move } from "../../net/teaching_api.js" */
/** @import { Checkpoint } from "../../types.d.ts" */

/** @param {{ lesson: OpenLesson, question: Checkpoint }} props */
export function Ways({ lesson, question }) {
  const contesting = useSignal(false);
  const off = lesson.working.value;
  const push = (/** @type {Move} */ move, /** @type {string} */ text) =>
    lesson.send({ content: "", text, aside: false, drawing: null, move });
  return html`<div class="ways">
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
    }`;
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
