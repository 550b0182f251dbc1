// @ts-check
/** Hints of the open checkpoint: one that the tutor has said is open, another one waits closed. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { isHelpSaid } from "../../state/transcript.js";
import { Markdown } from "../rich/markdown.js";

/** @import { Signal } from "@preact/signals" */
/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Checkpoint } from "../../types.d.ts" */

/** Where the checkpoint is not docked, but scrolls. */
const narrow = matchMedia("(max-width: 1100px)");

/**
 * @param {{ lesson: OpenLesson, question: Checkpoint, read: Signal<number[]>, asked: { current: boolean } }} props `read`:
 *   those that the learner has opened; `asked`: whether the learner waits for the next one, which is then brought into view
 */
export function Hints({ lesson, question: { help, gap }, read, asked }) {
  const newest = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (asked.current && narrow.matches) newest.current?.scrollIntoView({ block: "nearest" });
    asked.current = false;
  }, [help.length, read.value.length]);
  return help.map((text, i) => {
    const isOpen = isHelpSaid(lesson.turns.value, text) || read.value.includes(i);
    return html`<details
      class="cp-help"
      key=${i}
      ref=${newest}
      open=${isOpen}
      onToggle=${(/** @type {any} */ event) => {
        if (event.target.open && !isOpen) read.value = [...read.value, i];
      }}
    >
      <summary><b>${gap ? t("tu.help_gap") : t(isOpen ? "tu.help_at" : "tu.help_waits", { n: i + 1 })}</b></summary>
      <${Markdown} text=${text} />
    </details>`;
  });
}
