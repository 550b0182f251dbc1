// @ts-check
/** Link with which a person sets a password, shown once, with a button that copies it. */

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../../i18n/people.js";
import { dayOfYear } from "../../lib/dates.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";

/** @import { PasswordLink } from "../../types.d.ts" */

/** @param {{ name: string, link: PasswordLink }} props */
export function OneTimeLink({ name, link }) {
  const url = location.origin + link.path;
  const id = useId();
  const copied = useSignal(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    copied.value = false;
    field.current?.focus();
    field.current?.select();
  }, [link.path]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      copied.value = true;
    } catch {
      field.current?.select(); // not allowed here: the field is selected, to be copied by hand
    }
  };
  return html`<div class="ppl-link">
    <label class="lbl" for=${id}>${t("pp.link_made", { name })}</label>
    <div class="row">
      <input class="field" id=${id} readonly value=${url} dir="ltr" ref=${field} />
      ${
        navigator.clipboard &&
        html`<button class="btn" type="button" onClick=${copy}>
          <${Icon} name=${copied.value ? "check" : "copy"} small />${t(copied.value ? "pp.copied" : "pp.copy")}
        </button>`
      }
    </div>
    <p class="hint" role="status">${t("pp.link_says", { day: dayOfYear(Date.parse(link.expiresAt)) })}</p>
  </div>`;
}
