// @ts-check
/** Rail of a lesson: its plan and mastery. */

import { t } from "../../i18n/learn.js";
import { comingTime } from "../../lib/coming_time.js";
import { parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import { serverNow } from "../../net/api.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Lesson } from "../../types.d.ts" */

const GOAL = 70;
const outOf100 = (/** @type {number} */ mastery) => Math.round(mastery * 100);

/** @param {{ lesson: OpenLesson, concept: string, title: string }} props */
export function LessonRail({ lesson, concept, title }) {
  const state = lesson.state.value;
  const over = lesson.ended.value;
  const at = Math.min(state?.chunk ?? 0, state?.plan.length ?? 0);
  return html`<aside class="rail" aria-label=${t("tu.plan")}>
    <p class="t13 dimmer rail-of">${concept}</p>
    <p class="rail-title">${title}</p>
    ${state && state.plan.length > 0 && html`<${Steps} state=${state} at=${at} over=${over} />`}
    ${state && html`<${Mastery} state=${state} before=${lesson.before.value} />`}
  </aside>`;
}

/** @param {{ state: Lesson, at: number, over: boolean }} props `at`: the current step, from 1 */
const Steps = ({ state: { plan, asked }, at, over }) => {
  const stepState = (/** @type {number} */ i) => {
    if (over) return asked.includes(i + 1) ? "done" : "next";
    return i + 1 < at ? "done" : i + 1 === at ? "now" : "next";
  };
  return html`
    ${
      !over &&
      html`<p class="t13 rail-now">
        ${plan.map((_, i) => html`<i key=${i} class=${stepState(i)}></i>`)}
        <span>${t("tu.step", { at, n: plan.length, can: plan[at - 1] })}</span>
      </p>`
    }
    <ol class="chunks">
      ${plan.map(
        (line, i) => html`<li
          key=${i}
          class=${stepState(i)}
          aria-current=${stepState(i) === "now" ? "step" : undefined}
        >
          <${Dot} standing=${stepState(i)} />
          <span class="chunk">${line}</span>
          ${stepState(i) === "done" && html`<span class="vh">${t("tu.step_done")}</span>`}
        </li>`,
      )}
    </ol>
  `;
};

/** @param {{ standing: string }} props */
const Dot = ({ standing }) =>
  html`<svg viewBox="-8 -8 16 16" aria-hidden="true">
    ${
      standing === "done"
        ? html`<circle class="dot-done" r="7" /><path class="dot-tick" d="M-3 .3-.8 2.5 3.3-2" />`
        : html`<circle class="dot-${standing}" r=${standing === "now" ? 6.25 : 4} />`
    }
  </svg>`;

/** @param {{ state: Lesson, before: number | null }} props */
function Mastery({ state, before }) {
  const now = outOf100(state.mastery);
  return html`<div class="mst">
    <p class="mst-line">
      <b>${t("tu.mastery")}</b>
      <span>${reachedWords(state, now)}</span>
    </p>
    <div
      class="meter"
      role="meter"
      aria-label=${t("tu.mastery")}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${now}
    >
      <i style=${{ inlineSize: `${now}%` }}></i>
      <s style=${{ insetInlineStart: `${GOAL}%` }}></s>
    </div>
    <p class="t13 dim mst-why">
      ${[masteryChange(now, before === null ? now : outOf100(before)), whatIsLeft(state)].filter(Boolean).join(" ")}
    </p>
  </div>`;
}

/** @param {Lesson} state @param {number} now */
function reachedWords(state, now) {
  if (!state.completed) return t("tu.goal", { now, goal: GOAL });
  return t(state.mastered ? "tu.mastered" : "tu.learned", { now });
}

/** What the next right answer will do; of what is mastered, what it rests on. @param {Lesson} state */
function whatIsLeft(state) {
  if (!state.completed) return state.reading ? t("tu.reading") : t("tu.needed", { n: state.needed });
  if (state.masteredFrom === null) return t("tu.evidence", { n: state.evidence });
  const [at, now] = [parseMs(state.masteredFrom), serverNow()];
  return at > now ? t("tu.to_master_from", { at: comingTime(at, now, chosenLanguage()) }) : t("tu.to_master");
}

/** @param {number} now @param {number} before */
const masteryChange = (now, before) => (now === before ? "" : t(now > before ? "tu.up" : "tu.down", { before }));
