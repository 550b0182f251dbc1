// @ts-check
/** Reason of a node, behind the words "Why this is here". */

import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";

/** @param {{ reason: string | null }} props */
export const WhyHere = ({ reason }) =>
  reason !== null &&
  html`<details class="why-here">
    <summary>${t("about.why")}</summary>
    <p class="reason why">${reason}</p>
  </details>`;
