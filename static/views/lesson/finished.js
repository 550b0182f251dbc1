// @ts-check
/** End of a lesson: what is learned, and what comes next. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import { pathUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { NextReason, ReviewLine, stepLabel, stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";
import { stayInView } from "./stay_in_view.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { PathContext } from "../common/path_context.js" */
/** @import { Lesson, NextAction } from "../../types.d.ts" */

const sharing = lazy(async () => (await import("./share.js")).ShareLesson);

/**
 * @param {{ lesson: OpenLesson, branchId: string, conceptId: string, around: PathContext | null }} props
 */
export function Finished({ lesson, branchId, conceptId, around }) {
  const next = useNextStep({ branchId });
  const isRead = lesson.turns.value.some((turn) => turn.reading);
  const concept = around?.all.get(conceptId);
  const isHere = next?.node?.parentId === conceptId;
  const state = lesson.state.value;
  const reached = state?.mastered ? "mastered" : state?.completed ? "learned" : "progress";
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => stayInView(() => box.current?.scrollIntoView({ block: "end" })), []);
  useEffect(() => {
    if (lesson.spoken.value && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  return html`<section class="cp over" aria-label=${t("tu.finished")} tabindex="-1" ref=${box}>
    <p class="cp-top"><${Mark} state=${reached} /><b>${t("tu.finished")}</b></p>
    ${state && html`<${Plan} state=${state} isRead=${isRead} />`}
    ${
      !isHere &&
      concept &&
      isLearned(concept) &&
      html`<p class="t13 dim">${t("tu.concept_done", { title: concept.title })}</p>`
    }
    ${
      next &&
      html`<div class="next">
        <p class="t13 dim">${t(isHere || !next.node ? "tu.next" : "tu.next_concept")}</p>
        <p class="next-title">
          <${Mark} state=${markOf(next)} />
          <span>${stepTitle(next)}</span>
        </p>
        <${NextReason} next=${next} />
        <${ReviewLine} next=${next} />
      </div>`
    }
    ${lesson.session.value && html`<${sharing.View} sessionId=${lesson.session.value.id} />`}
    <div class="row cp-foot">
      <div class="row cp-go">
        ${next && html`<a class="btn go" href=${stepUrl(next)}>${stepLabel(next)}</a>`}
        <a class="btn" href=${pathUrl(branchId, conceptId)}>${t("tu.to_path")}</a>
      </div>
    </div>
  </section>`;
}

/** The steps that were asked, ticked, and those that were not. @param {{ state: Lesson, isRead: boolean }} props */
function Plan({ state: { plan, asked }, isRead }) {
  const reached = plan.filter((_, i) => asked.includes(i + 1));
  const left = plan.filter((_, i) => !asked.includes(i + 1));
  return html`
    ${
      reached.length > 0 &&
      html`
        <p class="t13 dim">${t(isRead ? "rd.read" : "tu.can")}</p>
        <ul class="can">
          ${reached.map(
            (line) => html`<li key=${line}><${Icon} name="check" small /><span class="chunk">${line}</span></li>`,
          )}
        </ul>
      `
    }
    ${
      left.length > 0 &&
      html`
        <p class="t13 dim">${t("tu.not_asked")}</p>
        <ul class="can">
          ${left.map((line) => html`<li key=${line}><span class="chunk">${line}</span></li>`)}
        </ul>
      `
    }
  `;
}

/** @param {NextAction} next @returns {import("../../state/graph.js").NodeState} */
function markOf(next) {
  if (next.kind === "review") return "due";
  if (!next.node) return "learned";
  return next.why === "started" ? "progress" : "ready";
}
