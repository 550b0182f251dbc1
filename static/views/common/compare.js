// @ts-check
/** Comparison of an answer with the model answer: one verdict per criterion, given by its learner. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Markdown } from "../rich/markdown.js";
import { VerdictMark } from "./verdict_mark.js";

/** @import { Compared, Mark, SelfMark } from "../../types.d.ts" */

const MARKS = /** @type {const} */ (["met", "partly", "missing"]);
const WORDS = /** @type {const} */ ({ met: "cm.met", partly: "cm.partly", missing: "cm.missing" });

/**
 * @param {{ compare: Compared, off: boolean, onMark: (mark: SelfMark) => void, isFilled?: boolean }} props `off`: while
 *   it is being sent; `isFilled`: whether it is what the screen asks for first, once each point has its verdict
 */
export function Compare({ compare, off, onMark, isFilled = true }) {
  const verdicts = useSignal(/** @type {Record<string, Mark>} */ ({}));
  const mixUp = useSignal(/** @type {string | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const unmarked = compare.criteria.filter((one) => !verdicts.value[one.id]);
  const wanted = unmarked.length ? t("cm.mark", { n: unmarked.length }) : t("cm.done");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (off) return;
    if (unmarked.length === 0) onMark({ verdicts: verdicts.value, misconception: mixUp.value });
    else showPoint(form.current?.querySelectorAll(".cmp-point")[compare.criteria.indexOf(unmarked[0])]);
  };
  return html`<form class="cmp" onSubmit=${submit} ref=${form}>
    <${AnswerPair} compare=${compare} heading=${t("cm.model")} />
    <p class="cmp-ask"><b>${t("cm.ask")}</b> ${t("cm.counts")}</p>
    ${compare.criteria.map(
      (one) => html`<fieldset class="cmp-point" key=${one.id} disabled=${off}>
        <legend>
          <b class="chunk">${one.label}</b>
          ${one.statement !== compare.modelAnswer && html`<span>${one.statement}</span>`}
        </legend>
        <div class="cmp-marks">
          ${MARKS.map(
            (mark) => html`<label key=${mark}>
              <input
                type="radio"
                name=${`${compare.answerId}-${one.id}`}
                checked=${verdicts.value[one.id] === mark}
                onChange=${() => {
                  verdicts.value = { ...verdicts.value, [one.id]: mark };
                }}
              />
              <${VerdictMark} shape=${mark} />
              <span>${t(WORDS[mark])}</span>
            </label>`,
          )}
        </div>
      </fieldset>`,
    )}
    ${
      compare.misconceptions.length > 0 &&
      html`<fieldset class="cmp-point" disabled=${off}>
        <legend><b>${t("cm.mix_up", { n: compare.misconceptions.length })}</b></legend>
        ${compare.misconceptions.map(
          (one) => html`<label class="cmp-mix" key=${one}>
            <input
              type="checkbox"
              checked=${mixUp.value === one}
              onChange=${() => {
                mixUp.value = mixUp.value === one ? null : one;
              }}
            />
            <span class="chunk">${one}</span>
          </label>`,
        )}
      </fieldset>`
    }
    <div class="row cp-foot">
      <div class="row cp-go">
        <button
          class=${isFilled && !unmarked.length ? "btn go" : "btn"}
          type="submit"
          disabled=${off}
          aria-busy=${off || undefined}
        >
          ${off ? t("tu.sending") : wanted}
        </button>
      </div>
    </div>
  </form>`;
}

/** Show a point and focus its first verdict. @param {Element} [point] */
function showPoint(point) {
  point?.scrollIntoView({ block: "center" });
  point?.querySelector("input")?.focus({ preventScroll: true });
}

/** The learner's answer beside what it is compared with. @param {{ compare: Compared, heading: string }} props */
export const AnswerPair = ({ compare, heading }) => html`<div class="pair">
  <div>
    <h3>${t("cm.yours")}</h3>
    <p class="pre">${compare.yours || t("tu.drawing")}</p>
  </div>
  <div>
    <h3>${heading}</h3>
    <div class="say"><${Markdown} text=${compare.modelAnswer} /></div>
  </div>
</div>`;
