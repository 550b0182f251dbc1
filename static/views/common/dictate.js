// @ts-check
/** Button in an answer's field that writes what is said; there is none where the browser cannot. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { t } from "../../i18n/aloud.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import { languageOf } from "../../lib/speakable.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { canDictate, dictate, dictated, stopDictation } from "../../state/dictation.js";

/** @import { Problem } from "../../state/dictation.js" */

await loadSheet("styles/aloud.css");

/**
 * @param {{
 *   field: { current: HTMLElement | null },
 *   about: string,
 *   off: boolean,
 *   onWords: (text: string) => void,
 * }} props `about`: the question, in the language that is spoken; `off`: while the answer is on its way
 */
export function Dictate({ field, about, off, onWords }) {
  const problem = useSignal(/** @type {Problem | null} */ (null));
  const isHeard = dictated.value !== null && dictated.value === field.current;
  useEffect(() => {
    const box = field.current;
    return () => {
      if (box && dictated.peek() === box) stopDictation();
    };
  }, []);
  useEffect(() => {
    if (off && isHeard) stopDictation();
  }, [off]);
  useLayoutEffect(() => {
    // at once: the next key may come before the page is drawn
    const box = field.current;
    if (!isHeard || !box) return undefined;
    const escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation(); // a lesson's screen would be left
      stopDictation();
    };
    addEventListener("keydown", escape, true);
    box.addEventListener("input", stopDictation); // who types goes on by hand
    return () => {
      removeEventListener("keydown", escape, true);
      box.removeEventListener("input", stopDictation);
    };
  }, [isHeard]);
  if (!canDictate) return null;
  const toggle = () => {
    problem.value = null;
    if (isHeard) return stopDictation();
    const box = /** @type {HTMLTextAreaElement} */ (field.current);
    box.focus();
    dictate(box, languageOf(about, chosenLanguage()), {
      onWords,
      onProblem: (why) => {
        problem.value = why;
      },
    });
  };
  const label = t(isHeard ? "dictate.stop" : "dictate.start");
  return html`
    <button
      class=${isHeard ? "btn flat icon dictate on" : "btn flat icon dictate"}
      type="button"
      disabled=${off}
      aria-label=${label}
      title=${label}
      onClick=${toggle}
    >
      <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 14.5a3 3 0 0 0 3-3v-5a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3ZM6 11.5a6 6 0 0 0 12 0M12 17.5v3" />
      </svg>
    </button>
    <p class="t13 dim dictate-says" role="status">
      ${isHeard ? t("dictate.heard") : problem.value && t(`dictate.${problem.value}`)}
    </p>
  `;
}
