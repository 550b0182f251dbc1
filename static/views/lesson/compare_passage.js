// @ts-check
/** Comparison of own words with what the passage says: one verdict, given by their learner. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { AnswerPair } from "../common/compare.js";
import { VerdictMark } from "../common/verdict_mark.js";

/** @import { Compared, Mark, SelfMark } from "../../types.d.ts" */

const MARKS = /** @type {const} */ (["met", "partly", "missing"]);
const WORDS = /** @type {const} */ ({ met: "rd.same", partly: "cm.partly", missing: "cm.missing" });

/** @param {{ compare: Compared, off: boolean, onMark: (mark: SelfMark) => void }} props `off`: while it is being sent */
export const ComparePassage = ({ compare, off, onMark }) => html`<div class="cmp">
  <${AnswerPair} compare=${compare} heading=${t("rd.says")} />
  <p class="cmp-ask" id="cmp-ask"><b>${t("cm.ask")}</b> ${t("cm.counts")}</p>
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
</div>`;

/** @param {Compared} compare @param {Mark} mark @returns {Record<string, Mark>} */
const verdictOnAll = ({ criteria }, mark) => Object.fromEntries(criteria.map((one) => [one.id, mark]));
