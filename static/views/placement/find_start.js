// @ts-check
/** Offer to find where one starts on a path, beside its next step. */

import { t } from "../../i18n/placement.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import { placementUrl } from "./addresses.js";
import { usePlacements } from "./placements.js";

/** @import { OpenPath } from "../../state/open_path.js" */

/** A row with a button while nothing is learned or it was left; then a quiet link. @param {{ path: OpenPath }} props */
export function FindStart({ path }) {
  const overview = usePlacements(path.branchId, path.run.value?.state).value;
  if (!overview || (!overview.questions && !overview.lastId)) return null;
  const url = placementUrl(path.branchId);
  const parts = [...path.all.value.values()].filter((node) => node.type === "subconcept");
  const hasBegun = parts.some(isLearned);
  if (hasBegun && parts.every(isLearned)) return null;
  if (!overview.openId && (hasBegun || overview.lastId))
    return html`<p class="find-start quiet t13"><a class="link" href=${url}>${t("pl.title")}</a></p>`;
  return html`<div class="find-start">
    <div>
      <h2>${t("pl.title")}</h2>
      <p class="t13 dim">${overview.openId ? t("pl.offer_open") : t("pl.offer", { n: overview.minutes })}</p>
    </div>
    <a class="btn" href=${url}>${t(overview.openId ? "pl.continue" : "pl.go")}</a>
  </div>`;
}
