// @ts-check
/** The last seven days: on which of them was learned, and three facts of what was gained. */

import { t } from "../../i18n/today.js";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { shortWeekday, weekday } from "./days.js";

/** @import { Today } from "../../types.d.ts" */

const LEAF = "M9 15c.5-5.8 5.4-8.5 10-7.7c0 5.4-4 8.5-10 7.7ZM9 15c-.5-5.8-5.4-8.5-10-7.7c0 5.4 4 8.5 10 7.7Z";

/** @param {{ today: Today }} props */
export const Week = ({ today: { week, cleared } }) => html`<section class="gain" aria-labelledby="week">
  <h2 class="eyebrow" id="week">${t("td.week")}</h2>
  <${Days} days=${week.days} />
  <${Facts} week=${week} cleared=${cleared} />
</section>`;

/** @param {{ days: Today["week"]["days"] }} props */
function Days({ days }) {
  const learned = days.filter((day) => day.minutes > 0).map((day) => weekday(day.date));
  const label = learned.length > 0 ? t("td.days", { days: conjunction(learned) }) : t("td.days_none");
  const last = days.length - 1;
  return html`<div class="days" role="img" aria-label=${label}>
    ${days.map(
      (day, i) => html`<span key=${day.date}>
        <svg viewBox="0 0 18 24" aria-hidden="true">${dayShape(day.minutes > 0, i === last)}</svg>
        ${i === last ? t("td.today") : shortWeekday(day.date)}
      </span>`,
    )}
  </div>`;
}

/** A seedling for a day of learning, a dot for one without, a ring for one that may become one. */
function dayShape(/** @type {boolean} */ isLearned, /** @type {boolean} */ isToday) {
  if (isLearned)
    return html`
      <path class="stem-line" d="M9 23V12" />
      <path class=${isToday ? "leaf-new" : "leaf-old"} d=${LEAF} />
    `;
  return isToday
    ? html`<circle class="open" cx="9" cy="15" r="4.5" />`
    : html`<circle class="dot" cx="9" cy="19" r="1.75" />`;
}

/** @param {{ week: Today["week"], cleared: string[] }} props `cleared`: mix-ups, as sentences */
function Facts({ week, cleared }) {
  const studied = week.days.filter((day) => day.minutes > 0);
  if (!studied.length && !week.parts && !week.reviewed && !cleared.length)
    return html`<p class="dim">${t("td.week_none")}</p>`;
  const minutes = studied.reduce((sum, day) => sum + day.minutes, 0);
  const first = week.paths[0];
  return html`<ul>
    ${
      week.parts > 0 &&
      html`<li>
        <b>${t("td.gained", { n: week.parts })}</b>
        ${first && t("td.gained_in", { n: first.parts, title: first.title })}
      </li>`
    }
    ${
      week.reviewed > 0 &&
      html`<li>
        <b>${t("td.recalled", { done: week.recalled, n: week.reviewed })}</b>
        ${t("td.recalled_text", { n: week.reviewed })}
      </li>`
    }
    ${
      cleared.length > 0 &&
      html`<li>
        <b>${t("td.cleared", { n: cleared.length })}</b>
        ${" "}<span class="say">${conjunction(cleared.map((title) => t("td.title", { title })))}</span>
      </li>`
    }
    ${
      studied.length > 0 &&
      html`<li>
        <b>${t("td.minutes", { n: minutes })}</b>
        ${t("td.minutes_text", { n: studied.length })}
      </li>`
    }
  </ul>`;
}
