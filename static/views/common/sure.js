// @ts-check
/** One tap for a learner who is sure of the chosen option. */

import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";

/** @param {{ isSure: boolean, off: boolean, onSure: (isSure: boolean) => void }} props */
export const Sure = ({ isSure, off, onSure }) => html`<label class="sure">
  <input
    type="checkbox"
    checked=${isSure}
    disabled=${off}
    onChange=${(/** @type {any} */ event) => onSure(event.target.checked)}
  />
  ${t("dg.sure")}
</label>`;
