// @ts-check
/** What each choice of recall takes, in reviews a day with the learner's own cards. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as reviewsApi from "../../net/reviews_api.js";

/** @import { RetentionCost } from "../../types.d.ts" */

export function RetentionCosts() {
  const costs = useSignal(/** @type {RetentionCost[]} */ ([]));
  useEffect(() => {
    reviewsApi.costs().then(
      (found) => {
        costs.value = found;
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error; // the settings themselves report the outage
      },
    );
  }, []);
  if (!costs.value.some((one) => one.reviewsPerDay > 0)) return null;
  return html`<ul class="st-costs t13 dim" aria-label=${t("rv.set_costs")}>
    ${costs.value.map((one) => html`<li key=${one.retention}>${costWords(one)}</li>`)}
  </ul>`;
}

/** "90 % takes about 12 reviews a day", or a week where it is less than one. @param {RetentionCost} cost */
function costWords({ retention, reviewsPerDay }) {
  const percent = Math.round(retention * 100);
  if (reviewsPerDay >= 1) return t("rv.set_cost", { percent, n: Math.round(reviewsPerDay) });
  return t("rv.set_cost_few", { percent, n: Math.max(1, Math.round(reviewsPerDay * 7)) });
}
