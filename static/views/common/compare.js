// @ts-check
/** Comparison of an answer with the model answer: one verdict per criterion, given by its learner. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { drawingUrl } from "../../net/teaching_api.js";
import { Markdown } from "../rich/markdown.js";
import { Drawn } from "./drawn.js";
import { VerdictMark } from "./verdict_mark.js";

/** @import { ComponentChildren } from "preact" */
/** @import { Compared, Mark, SelfMark } from "../../types.d.ts" */

const MARKS = /** @type {const} */ (["met", "partly", "missing"]);
const WORDS = /** @type {const} */ ({ met: "cm.met", partly: "cm.partly", missing: "cm.missing" });

/**
 * One point is asked for at a time, and the button to go on comes once each has its verdict.
 * @param {{ compare: Compared, off: boolean, onMark: (mark: SelfMark) => void, isFilled?: boolean }} props `off`: while
 *   it is being sent; `isFilled`: whether it is what the screen asks for first
 */
export function Compare({ compare, off, onMark, isFilled = true }) {
  const verdicts = useSignal(/** @type {Record<string, Mark>} */ ({}));
  const mixUp = useSignal(/** @type {string | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const n = compare.criteria.length;
  const marked = compare.criteria.filter((one) => verdicts.value[one.id]).length;
  const isMarked = marked === n;
  const next = compare.criteria.find((one) => !verdicts.value[one.id]);
  useEffect(() => {
    if (marked) form.current?.querySelector(".cmp-point.now, .cmp-foot")?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isMarked && !off) onMark({ verdicts: verdicts.value, misconception: mixUp.value });
  };
  return html`<form class=${isFilled ? "cmp" : "cmp quiet"} onSubmit=${submit} ref=${form}>
    <${AnswerPair} compare=${compare} heading=${t("cm.model")} />
    <p class="cmp-ask">
      <b role="status">${t(isMarked ? "cm.marked" : "cm.point", { n, at: marked + 1 })}</b>${" "}
      ${t("cm.counts")}
    </p>
    ${compare.criteria.map(
      (one) => html`<fieldset class=${one === next ? "cmp-point now" : "cmp-point"} key=${one.id} disabled=${off}>
        <legend>
          <b class="chunk">${one.label}</b>
          ${one.statement !== compare.modelAnswer && html`<span>${one.statement}</span>`}
        </legend>
        ${one === next && html`<p class="cmp-question">${t("cm.question")}</p>`}
        ${
          (verdicts.value[one.id] || one === next) &&
          html`<div class="cmp-marks">
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
        </div>`
        }
      </fieldset>`,
    )}
    ${
      isMarked &&
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
    ${
      isMarked &&
      html`<div class="row cp-foot cmp-foot">
        <div class="row cp-go">
          <button class=${isFilled ? "btn go" : "btn"} type="submit" disabled=${off} aria-busy=${off || undefined}>
            ${t(off ? "tu.sending" : "cm.done")}
          </button>
        </div>
      </div>`
    }
  </form>`;
}

/**
 * The learner's answer beside what it is compared with.
 * @param {{ compare: Compared, heading: string, children?: ComponentChildren }} props `children`: in place of the model
 *   answer
 */
export const AnswerPair = ({ compare, heading, children }) => html`<div class="pair">
  <div>
    <h3>${t("cm.yours")}</h3>
    ${compare.drawn && html`<${Drawn} src=${drawingUrl(compare.answerId)} />`}
    <p class="pre">${compare.yours}</p>
  </div>
  <div>
    <h3>${heading}</h3>
    <div class="say">${children ?? html`<${Markdown} text=${compare.modelAnswer} />`}</div>
  </div>
</div>`;
