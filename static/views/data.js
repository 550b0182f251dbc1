// @ts-check
/** One's data: all of it in one file, and all of it gone. */

import { useSignal } from "@preact/signals";
import { html } from "../html.js";
import { t } from "../i18n/you.js";
import { ARCHIVE } from "../you.js";
import { EraseDialog } from "./erase.js";
import { Icon } from "./icons.js";

/** @param {{ onErased: () => void }} props */
export function Data({ onErased }) {
  const asked = useSignal(false);
  return html`<section aria-labelledby="data"><h2 id="data">${t("st.data")}</h2><div class="st-in">
    <div class="st-do"><a class="btn" href=${ARCHIVE} download><${Icon} name="export" small />${t("st.export")}</a><p class="t13 dim">${t("st.export_says")}</p></div>
    <div class="st-do"><button class="btn stop" type="button" onClick=${() => { asked.value = true; }}><${Icon} name="trash" small />${t("st.erase")}</button><p class="t13 dim">${t("st.erase_says")}</p></div>
    ${asked.value && html`<${EraseDialog} onClose=${() => { asked.value = false; }} onErased=${onErased} />`}
  </div></section>`;
}
