// @ts-check
/** "I know this" on a concept or a part: two questions confirm it or not. */

import { t } from "../../i18n/placement.js";
import { html } from "../../lib/html.js";
import { placementUrl } from "./addresses.js";

const QUESTIONS = 2;

/** @param {{ branchId: string, nodeId: string }} props */
export const KnowThis = ({ branchId, nodeId }) => html`<a class="btn know" href=${placementUrl(branchId, nodeId)}>
  <span>${t("pl.check")}</span>
  <small class="dim">${t("pl.check_time", { n: QUESTIONS })}</small>
</a>`;
