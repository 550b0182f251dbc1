// @ts-check
/** The learner's data: download and deletion. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import { ARCHIVE_URL } from "../../net/learner_api.js";
import { Icon } from "../common/icons.js";
import { EraseDialog } from "./erase.js";

/** @param {{ onErased: () => void }} props */
export function LearnerData({ onErased }) {
  const asked = useSignal(false);
  return html`<section aria-labelledby="data">
    <h2 id="data">${t("st.data")}</h2>
    <div class="st-in">
      <div class="st-do">
        <a class="btn" href=${ARCHIVE_URL} download><${Icon} name="export" small />${t("st.export")}</a>
        <p class="t13 dim">${t("st.export_says")}</p>
      </div>
      <div class="st-do">
        <button
          class="btn stop"
          type="button"
          onClick=${() => {
            asked.value = true;
          }}
        >
          <${Icon} name="trash" small />
          ${t("st.erase")}
        </button>
        <p class="t13 dim">${t("st.erase_says")}</p>
      </div>
      ${
        asked.value &&
        html`<${EraseDialog}
          onClose=${() => {
            asked.value = false;
          }}
          onErased=${onErased}
        />`
      }
    </div>
  </section>`;
}
