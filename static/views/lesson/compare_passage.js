// @ts-check
/** Comparison of own words with what the passage says: one verdict, given by their learner. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { AnswerPair } from "../common/compare.js";
import { DocumentText } from "../rich/markdown.js";
import { VerdictMark } from "../common/verdict_mark.js";

/** @import { Compared, Mark, Reading, SelfMark } from "../../types.d.ts" */

const MARKS = /** @type {const} */ (["met", "partly", "missing"]);
const WORDS = /** @type {const} */ ({ met: "rd.same", partly: "cm.partly", missing: "cm.missing" });

/**
 * @param {{ compare: Compared, reading: Reading, off: boolean, onMark: (mark: SelfMark) => void }} props
 *   `off`: while it is being sent
 */
export const ComparePassage = ({ compare, reading, off, onMark }) => html`<div class="cmp">
  <${AnswerPair} compare=${compare} heading=${t("rd.says")}><${DocumentText} text=${reading.text} /><//>
  <p class="cmp-question" id="cmp-ask">${t("cm.ask")}</p>
  <div class="self" role="group" aria-labelledby="cmp-ask">
    ${MARKS.map(
      (mark) => html`<button
        key=${mark}
        class="btn"
        type="button"
        disabled=${off}
        onClick=${() => onMark({ verdicts: verdictOnAll(compare, mark), misconception: null })}
      >
        <${VerdictMark} shape=${mark} />
        <span>${t(WORDS[mark])}</span>
      </button>`,
    )}
  </div>
  <p class="cmp-ask">${t("cm.counts")}</p>
</div>`;

/** @param {Compared} compare @param {Mark} mark @returns {Record<string, Mark>} */
const verdictOnAll = ({ criteria }, mark) => Object.fromEntries(criteria.map((one) => [one.id, mark]));
