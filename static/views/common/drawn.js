// @ts-check
/** A learner's own drawing: small in the text, whole in a window of its own. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";

/** @param {{ src: string }} props `src`: its address, or a data URL while it is being sent */
export const Drawn = ({ src }) => {
  const picture = html`<img src=${src} alt=${t("tu.drawing")} />`;
  if (src.startsWith("data:")) return html`<p class="drawn">${picture}</p>`;
  return html`<p class="drawn"><a href=${src} target="_blank" rel="noopener">${picture}</a></p>`;
};
