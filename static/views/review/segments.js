// @ts-check
/** Progress of a review session: the minutes left, and one segment per question. */

import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";

/** @import { ReviewSession } from "../../types.d.ts" */

/** @param {{ session: ReviewSession }} props */
export function Segments({ session }) {
  const { done, total, minutesLeft } = session;
  const left = minutesLeft > 0 ? t("rv.left", { n: minutesLeft }) : "";
  const words = t("rv.done_of", { done, n: total });
  return html`<div class="rv-top">
    <p class="rv-count"><b>${left}</b><span>${words}</span></p>
    <div
      class="rv-segments"
      role="progressbar"
      aria-label=${t("rv.title")}
      aria-valuemin="0"
      aria-valuemax=${total}
      aria-valuenow=${done}
      aria-valuetext=${words}
    >
      ${session.segments.map(
        ({ id, state, comesBack }) => html`<i key=${id} class=${`${state}${comesBack ? " back" : ""}`}></i>`,
      )}
    </div>
  </div>`;
}
