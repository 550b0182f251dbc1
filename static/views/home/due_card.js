// @ts-check
/** Card on the home with what is due for review. */

import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { ReviewsDue } from "../../types.d.ts" */

/** @param {{ due: ReviewsDue }} props */
export function DueCard({ due }) {
  const minutes = due.minutes > 0 ? t("rv.due_minutes", { n: due.minutes }) : "";
  const rest = due.days > 0 ? t("rv.due_later", { n: due.days }) : "";
  return html`<section class="today" aria-label=${t("rv.title")}>
    <${Mark} state="due" />
    <div>
      <h2 class="t18">${due.today > 0 ? t("rv.due", { n: due.today }) : t("rv.title")}</h2>
      <p class="dim">${minutes}${minutes && rest && ". "}${rest}</p>
    </div>
    <a class="btn" href="/review">${t(due.sessionId ? "rv.due_resume" : "rv.due_go")}</a>
  </section>`;
}
