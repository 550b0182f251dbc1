// @ts-check
/** Form that answers a run's question, with the unsent answers. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { choiceWords, takesResult, takesWords } from "../../state/handoff.js";

/** @import { Kind } from "../../state/handoff.js" */

/**
 * Unsent answers by run; they outlive the panel.
 * @type {Map<string, { words: string, result: string }>}
 */
const drafts = new Map();

/** @param {string} runId */
export function discardDraft(runId) {
  drafts.delete(runId);
}

/**
 * @param {{
 *   runId: string,
 *   kind: Kind,
 *   choices: string[],
 *   busy: boolean,
 *   isSent: boolean,
 *   onAnswer: (words: string, result: string) => void,
 * }} props
 */
export function AnswerForm({ runId, kind, choices, busy, isSent, onAnswer }) {
  const draft = useSignal(drafts.get(runId) ?? { words: "", result: "" });
  const keep = (/** @type {Partial<{ words: string, result: string }>} */ part) => {
    draft.value = { ...draft.value, ...part };
    drafts.set(runId, draft.value);
  };
  const off = busy || isSent;
  const send = () => {
    if (draft.value.words.trim() && !off) onAnswer(draft.value.words.trim(), "");
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const field = useRef(`answer-${runId}`).current;
  return html`<form
    class="handoff-form"
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      send();
    }}
  >
    ${
      kind === "in_doubt" &&
      html`<div>
        <label class="lbl" for=${`${field}-result`}>${t("handoff.result")}</label>
        <textarea
          class="field"
          id=${`${field}-result`}
          rows="2"
          maxlength="10000"
          disabled=${off}
          value=${draft.value.result}
          onInput=${(/** @type {any} */ event) => keep({ result: event.target.value })}
        ></textarea>
      </div>`
    }
    ${
      choices.length > 0 &&
      html`<div class="choices" role="group" aria-label=${t("handoff.choices")}>
        ${choices.map(
          (choice, i) => html`<button
            key=${choice}
            class="btn"
            type="button"
            disabled=${off}
            onClick=${() => onAnswer(choice, takesResult(kind, i) ? draft.value.result.trim() : "")}
          >
            ${choiceWords(kind, i, choice)}
          </button>`,
        )}
      </div>`
    }
    ${
      takesWords(kind) &&
      html`<div>
        <label class="lbl" for=${field}>${t(choices.length ? "handoff.words" : "handoff.words_only")}</label>
        <textarea
          class="field"
          id=${field}
          rows="2"
          maxlength="10000"
          disabled=${off}
          value=${draft.value.words}
          onKeyDown=${key}
          onInput=${(/** @type {any} */ event) => keep({ words: event.target.value })}
        ></textarea>
        <button
          class="btn go"
          type="submit"
          disabled=${off || !draft.value.words.trim()}
          aria-busy=${busy || undefined}
        >
          ${t(busy ? "handoff.answering" : "handoff.answer")}
        </button>
      </div>`
    }
  </form>`;
}
