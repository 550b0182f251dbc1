// @ts-check
/** End of a review session, and the screen where nothing is due. */

import { useEffect, useRef } from "preact/hooks";
import { t as onward } from "../../i18n/next.js";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { serverNow } from "../../net/api.js";
import { homeUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { lessonOf, stepLabel, stepUrl, useNextStep } from "../common/next_step.js";
import { comesBackDay } from "./days.js";

/** @import { OpenReview } from "../../state/review.js" */

/** Minutes of a session beyond the day's size. */
const MORE_MINUTES = 5;

/** @param {{ opened: OpenReview }} props */
export function Finished({ opened }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => heading.current?.focus(), []);
  const [due, session] = [opened.due.value, opened.session.value];
  const next = due?.nextAt ?? session?.nextAt;
  const busy = opened.busy.value !== null;
  const left = due?.today ?? 0;
  const lesson = lessonOf(useNextStep({}, due));
  const isDone = session !== null || (due?.doneToday ?? 0) > 0;
  const words = [
    session && t("rv.recalled", { done: session.recalled, n: session.total }),
    !session && due?.cards && !due.due && t("rv.fresh", { n: due.cards }),
    !due?.cards && t("rv.none_text"),
    due?.due && !left && t("rv.more", { n: due.due }),
    next && !due?.due && t("rv.next", { day: comesBackDay(next, serverNow(), { inSentence: true }) }),
    lesson && left === 0 && onward("next.then", { title: onward("next.title", { title: lesson.node.title }) }),
  ].filter(Boolean);
  return html`<section class="rv rv-end">
    <h1 class="t24" tabindex="-1" ref=${heading}>
      ${isDone && html`<${Icon} name="check" />`}
      ${t(titleOf(left, Boolean(due?.cards) || isDone))}
    </h1>
    ${words.map((one) => html`<p key=${one} class="dim">${one}</p>`)}
    ${
      opened.refusal.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${opened.refusal.value}</span></p>`
    }
    <div class="rv-acts">
      ${
        left > 0 &&
        html`<button class="btn go" type="button" disabled=${busy} onClick=${() => opened.startMore(null)}>
          ${t("rv.go_on", { n: left })}
        </button>`
      }
      ${left === 0 && lesson && html`<a class="btn go" href=${stepUrl(lesson)}>${stepLabel(lesson)}</a>`}
      <a class=${left > 0 || lesson ? "btn" : "btn go"} href=${homeUrl()}>${t("rv.home")}</a>
      ${
        left === 0 &&
        (due?.due ?? 0) > 0 &&
        html`<button class="btn" type="button" disabled=${busy} onClick=${() => opened.startMore(MORE_MINUTES)}>
          ${t("rv.more_go")}
        </button>`
      }
    </div>
  </section>`;
}

/** @param {number} left reviews that fit what is left of the day @param {boolean} hasCards */
function titleOf(left, hasCards) {
  if (left > 0) return "rv.session_over";
  return hasCards ? "rv.over" : "rv.none";
}
