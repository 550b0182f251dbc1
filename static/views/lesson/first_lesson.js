// @ts-check
/** What comes next after the diagnostic of a concept: its lesson, or the path once all of it is learned. */

import { t } from "../../i18n/learn.js";
import { t as onward } from "../../i18n/next.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { pathUrl } from "../../state/router.js";
import { lessonOf, stepUrl, useNextStep } from "../common/next_step.js";

/** @param {{ conceptId: string, turn?: unknown }} props `turn`: it is asked for again when this changes */
export function FirstLesson({ conceptId, turn = null }) {
  const next = useNextStep({ nodeId: conceptId }, turn);
  if (!next?.branch) return null;
  const lesson = lessonOf(next);
  if (!lesson) return html`<a class="btn go" href=${pathUrl(next.branch.id)}>${onward("next.to_path")}</a>`;
  return html`<a class="btn go" href=${stepUrl(lesson)}>
    <span>${t("rs.first", { title: lesson.node.title })}</span>
    <small>${common("node.minutes", { n: lesson.minutes ?? 1 })}</small>
  </a>`;
}
