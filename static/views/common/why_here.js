// @ts-check
/** Reason of a node, behind the words "Why this is here". */

import { t } from "../../i18n/about.js";
import { html } from "../../lib/html.js";

/** @param {{ reason: string | null }} props */
export const WhyHere = ({ reason }) =>
  reason !== null &&
  html`<details class="why-here">
    <summary>${t("about.why")}</summary>
    <p class="reason why">${reason}</p>
  </details>`;
