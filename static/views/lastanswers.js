// @ts-check
/** The last answers about a subconcept, as marks and in words: what its mastery goes by. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api.js";
import { inRow } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import * as you from "../you.js";
import { AnswerSign } from "./answersign.js";

/** @import { Evidence } from "../types.d.ts" */
/** @import { Seen } from "../graph.js" */

const AT_MOST = 8;

/** How many were missed, partly right and right, and whether all were without help. @param {Pick<Evidence, "mark" | "helpLevel">[]} answers @returns {string} */
export function tally(answers) {
  const counts = (/** @type {const} */ (["missed", "partly", "right"])).map((mark) => ({ mark, n: answers.filter((each) => each.mark === mark).length }));
  return inRow([...counts.map(({ mark, n }) => n > 0 && t(`answers.${mark}`, { n })), answers.every((each) => each.helpLevel === 0) && t("answers.alone", { n: answers.length })]);
}

/** A row of the facts, asked for once there is something to know; none where nothing was answered. @param {{ node: Seen }} props */
export function LastAnswers({ node }) {
  const found = useSignal(/** @type {Evidence[]} */ ([]));
  const failed = useSignal(false);
  const isBegun = node.mastery > 0;
  useEffect(() => {
    if (!isBegun) return undefined;
    let left = false;
    you.evidence(node.id).then((answers) => { if (!left) { found.value = answers.slice(0, AT_MOST).reverse(); failed.value = false; } }, (error) => {
      if (!(error instanceof ApiError)) throw error;
      if (!left) failed.value = true;
    });
    return () => { left = true; };
  }, [node.id, node.mastery]);
  const answers = found.value;
  if (!isBegun || !(failed.value || answers.length)) return null;
  return html`<dt>${t("about.answers")}</dt><dd>${failed.value ? html`<span class="dimmer">${t("about.source_away")}</span>`
    : html`<span class="ev" aria-hidden="true">${answers.map((each) => html`<${AnswerSign} key=${each.answerId} mark=${each.mark} />`)}</span> ${tally(answers)}`}</dd>`;
}
