// @ts-check
/** Line on the model's budget that is nearly or wholly spent. */

import { t } from "../../i18n/you.js";
import { hour, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";

/** @import { TightestBudget } from "../../types.d.ts" */

/** @param {{ budget: TightestBudget }} props */
export function BudgetLine({ budget }) {
  const share = budget.limit ? Math.floor((100 * budget.spent) / budget.limit) : 100;
  const time = hour(new Date(parseMs(budget.resetsAt)));
  return html`<p class="t13 dim" role="status">
    ${t(`budget.${budget.payer}_${budget.period}`, { share, name: budget.className ?? "" })}
    ${" "}${t(`budget.resets_${budget.period}`, { time })}
  </p>`;
}
