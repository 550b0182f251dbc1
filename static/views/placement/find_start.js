// @ts-check
/** Offer to find where one starts on a path, beside its next step. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/placement.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import * as api from "../../net/api.js";
import * as placementsApi from "../../net/placements_api.js";
import { placementUrl } from "./addresses.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { PlacementOverview } from "../../types.d.ts" */

/** A row with a button while nothing is learned or it was left; then a quiet link. @param {{ path: OpenPath }} props */
export function FindStart({ path }) {
  const found = useSignal(/** @type {PlacementOverview | null} */ (null));
  useEffect(() => {
    let left = false;
    placementsApi.overview(path.branchId).then(
      (overview) => {
        if (!left) found.value = overview;
      },
      (error) => {
        if (!(error instanceof api.ApiError)) throw error; // the screen itself reports the outage
      },
    );
    return () => {
      left = true;
    };
  }, [path.branchId, path.run.value?.state]);
  const overview = found.value;
  if (!overview || (!overview.questions && !overview.lastId)) return null;
  const url = placementUrl(path.branchId);
  const hasBegun = [...path.all.value.values()].some((node) => node.type === "subconcept" && isLearned(node));
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
