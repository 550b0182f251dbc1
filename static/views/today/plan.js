// @ts-check
/** Steps of the day, at most two; once it is done, what was done and what tomorrow brings. */

import { t } from "../../i18n/today.js";
import { commaJoined, conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { reviewUrl } from "../../state/router.js";
import { lessonOf, stepLabel, stepTitle, stepUrl } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";
import { onDay } from "./days.js";

/** @import { NextAction, ReviewsDue, Today } from "../../types.d.ts" */

const MOST_LEARNED = 3;

/** Whether an action is a step that can be taken now. @param {NextAction} next */
export const isStep = (next) => ["lesson", "answer", "grow"].includes(next.kind);

/** @param {{ today: Today }} props */
export function Plan({ today }) {
  const { due, next } = today;
  const hasReviews = due.today > 0;
  return html`<ol class="plan">
    ${hasReviews && html`<${ReviewStep} due=${due} />`}
    ${isStep(next) && html`<${NextStep} next=${next} isFirst=${!hasReviews} />`}
  </ol>`;
}

/** @param {{ due: ReviewsDue }} props */
function ReviewStep({ due }) {
  const isWhole = due.today === due.due;
  return html`<li>
    <${Mark} state="due" />
    <div>
      <h2>${t("td.due", { n: due.today, minutes: due.minutes })}</h2>
      <p class="dim">
        ${commaJoined(
          due.paths.map((path) => (isWhole ? t("td.due_path", { title: path.title, n: path.due }) : path.title)),
        )}
      </p>
    </div>
    <a class="btn go" href=${reviewUrl()}>
      ${due.sessionId ? t("td.due_on") : t("td.due_go", { n: due.today })}
    </a>
  </li>`;
}

/** @param {{ next: NextAction, isFirst: boolean }} props */
function NextStep({ next, isFirst }) {
  const lesson = lessonOf(next);
  const where = lesson
    ? [next.branch?.title, next.concept?.title, t("td.lesson_at", { n: next.minutes ?? 1 })]
    : [next.concept && next.branch?.title];
  return html`<li>
    <${Mark} state=${lesson && next.why !== "started" ? "ready" : "progress"} />
    <div>
      <h2>${stepTitle(next)}</h2>
      <p class="dim">${commaJoined(where)}</p>
    </div>
    <a class=${isFirst ? "btn go" : "btn"} href=${stepUrl(next)}>
      ${lesson ? t(next.why === "started" ? "td.continue" : "td.start") : stepLabel(next)}
      <span class="vh"> ${stepTitle(next)}</span>
    </a>
  </li>`;
}

/** @param {{ today: Today }} props */
export function DayDone({ today }) {
  const { day, due } = today;
  const shown = day.learned.slice(0, MOST_LEARNED);
  const rest = day.learned.length - shown.length;
  return html`
    <ol class="plan done">
      ${
        day.reviewed > 0 &&
        html`<li>
          <${Tick} />
          <div>
            <h2>${t("td.reviewed", { n: day.reviewed })}</h2>
            <p class="dim">${t("td.remembered", { n: day.recalled })}${missedWords(day.missed)}</p>
          </div>
        </li>`
      }
      ${shown.map(
        (part) => html`<li key=${part.nodeId}>
          <${Tick} />
          <div>
            <h2>${t("td.learned", { title: part.title })}</h2>
            <p class="dim">
              ${part.reviewedAt ? t("td.confirmed", { day: onDay(part.reviewedAt, today) }) : t("td.learned_text")}
            </p>
          </div>
        </li>`,
      )}
      ${rest > 0 && html`<li><${Tick} /><h2>${t("td.more_learned", { n: rest })}</h2></li>`}
      <${Tomorrow} today=${today} />
    </ol>
    ${due.sessionId && html`<p><a href=${reviewUrl()}>${t("td.left_review")}</a></p>`}
  `;
}

/** @param {string[]} missed */
const missedWords = (missed) =>
  missed.length > 0
    ? ` ${t("td.missed", { n: missed.length, titles: conjunction(missed.map((title) => t("td.title", { title }))) })}`
    : "";

/** @param {{ today: Today }} props */
function Tomorrow({ today: { tomorrow, next } }) {
  const words = tomorrow.reviews
    ? t("td.tomorrow", { n: tomorrow.reviews, minutes: tomorrow.minutes })
    : t("td.tomorrow_none");
  return html`<li class="ahead">
    <svg class="m" viewBox="-10 -10 20 20" aria-hidden="true"><circle class="ring" r="7.5" /></svg>
    <div>
      <h2>${words}</h2>
      ${next.node && html`<p class="dim">${t("td.then", { title: next.node.title, n: next.minutes ?? 1 })}</p>`}
    </div>
  </li>`;
}

const Tick = () => html`<svg class="m tick" viewBox="-10 -10 20 20" aria-hidden="true">
  <circle r="9" />
  <path d="M-4 .5-1.2 3.3 4.2-2.7" />
</svg>`;
