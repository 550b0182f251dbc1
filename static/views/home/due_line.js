// @ts-check
/** Line on the home that says what is due for review; none where nothing is. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as reviewsApi from "../../net/reviews_api.js";
import { reviewUrl } from "../../state/router.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { ReviewsDue } from "../../types.d.ts" */

export function DueLine() {
  const due = useSignal(/** @type {ReviewsDue | null} */ (null));
  useEffect(() => {
    let left = false;
    reviewsApi.due().then(
      (found) => {
        if (!left) due.value = found;
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
      },
    ); // the home itself reports the outage
    return () => {
      left = true;
    };
  }, []);
  const found = due.value;
  if (!found || (!found.today && !found.sessionId)) return null;
  const minutes = found.minutes > 0 ? t("rv.due_minutes", { n: found.minutes }) : "";
  const rest = found.days > 0 ? t("rv.due_later", { n: found.days }) : "";
  return html`<section class="today" aria-label=${t("rv.title")}>
    <${Mark} state="due" />
    <div>
      <h2 class="t18">${found.today > 0 ? t("rv.due", { n: found.today }) : t("rv.title")}</h2>
      <p class="dim">${minutes}${minutes && rest && ". "}${rest}</p>
    </div>
    <a class="btn" href=${reviewUrl()}>${t(found.sessionId ? "rv.due_resume" : "rv.due_go")}</a>
  </section>`;
}
