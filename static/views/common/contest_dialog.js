// @ts-check
/** Dialog in which a learner says that a question or its mark is wrong. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/learn.js";
import { typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";

/**
 * @param {{
 *   busy: boolean,
 *   refusal: string | null,
 *   onSend: (reason: string) => Promise<{ says?: string | null } | null>,
 *   onClose: (wasSent: boolean) => void,
 * }} props `onSend`: null if it was refused; the question may be withdrawn once the dialog closes
 */
export function ContestDialog({ busy, refusal, onSend, onClose }) {
  const reason = useSignal("");
  const said = useSignal(/** @type {string | null} */ (null));
  const send = async () => {
    const outcome = await onSend(reason.value.trim());
    if (outcome) said.value = outcome.says ?? t("dg.contest_later");
  };
  const close = () => onClose(said.value !== null);
  return html`<${Dialog} title=${t("dg.wrong_title")} onClose=${close}>
    <p class="dim">${t("dg.wrong_text")}</p>
    ${
      said.value
        ? html`<p role="status" class="chip leaf wrap-chip"><${Icon} name="check" small />${said.value}</p>`
        : html`
          <label class="lbl" for="reason">${t("dg.wrong_label")}</label>
          <textarea
            class="field"
            id="reason"
            rows="3"
            maxlength="1000"
            readonly=${busy}
            value=${reason.value}
            onInput=${typedInto(reason)}
          ></textarea>
        `
    }
    ${refusal && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal}</span></p>`}
    <div class="row dialog-foot">
      ${
        !said.value &&
        html`<button class="btn go" type="button" disabled=${busy} aria-busy=${busy || undefined} onClick=${send}>
          ${t(busy ? "dg.wrong_sending" : "dg.wrong_send")}
        </button>`
      }
      <button class="btn" type="button" onClick=${close}>
        ${t(said.value ? "dg.wrong_close" : "dg.wrong_cancel")}
      </button>
    </div>
  <//>`;
}
