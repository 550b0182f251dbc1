// @ts-check
/** Guided reading: the passage of the learner's document as the text of a step, and the way on to the next. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";
import { DocumentText } from "../rich/markdown.js";
import { partOf, placeOf } from "./citations.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Citation, Reading } from "../../types.d.ts" */

/** @param {Reading} reading */
function fullPlace(reading) {
  const part = partOf(reading);
  return reading.page !== null && part ? t("rd.place", { place: placeOf(reading), part }) : placeOf(reading);
}

/** What a passage is read for. @param {Reading} reading @param {boolean} isAlone */
function purposeOf(reading, isAlone) {
  if (isAlone) return "rd.alone";
  return reading.ownWords ? "rd.own_words" : "rd.answer";
}

/**
 * A passage; one that was read before is folded to a line.
 * @param {{ reading: Reading, isOpen: boolean, isAlone: boolean, onCite: (citation: Citation) => void }} props
 *   `isAlone`: whether nothing is asked about it
 */
export const ReadingPassage = ({ reading, isOpen, isAlone, onCite }) =>
  isOpen
    ? html`<section class="reading" aria-label=${t("rd.passage")}>
        <p class="eyebrow">${t(purposeOf(reading, isAlone))}</p>
        <${Passage} reading=${reading} onCite=${onCite} />
      </section>`
    : html`<details class="reading">
        <summary><span>${fullPlace(reading)}</span> <span class="link">${t("rd.again")}</span></summary>
        <${Passage} reading=${reading} onCite=${onCite} />
      </details>`;

/** @param {{ reading: Reading, onCite: (citation: Citation) => void }} props */
const Passage = ({ reading, onCite }) => html`<div class="pas">
    <${DocumentText} text=${reading.text} tinted=${reading.settledBy} />
  </div>
  <p class="cites">
    <button class="cite" type="button" onClick=${() => onCite(reading)}>
      <${Icon} name="doc" small />
      <span>${fullPlace(reading)}</span>
    </button>
  </p>`;

/**
 * The way on, once the last question is settled or a passage is read.
 * @param {{ lesson: OpenLesson, part: string | undefined, onGoOn: () => void }} props `part`: what comes next
 */
export function ReadOn({ lesson, part, onGoOn }) {
  const off = lesson.working.value;
  const refusal = lesson.refusal.value;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (lesson.spoken.value && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  return html`<section class="cp" aria-label=${t("rd.go_on_label")} tabindex="-1" ref=${box}>
    <p class="cp-top">
      <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} /><b>${t("rd.read_on")}</b>
    </p>
    ${refusal && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p>`}
    <div class="row cp-foot">
      <div class="row cp-go">
        <button class="btn go" type="button" disabled=${off} aria-busy=${off || undefined} onClick=${onGoOn}>
          ${part ? t("rd.go_on", { part }) : t("rd.go_on_bare")}
        </button>
      </div>
    </div>
  </section>`;
}
