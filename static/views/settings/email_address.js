// @ts-check
/** E-mail address for a forgotten password: confirmed by a link that is sent there, and shown to its owner alone. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as accountApi from "../../net/account_api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";

export function EmailAddress() {
  const loading = useLoaded(accountApi.email);
  const deed = useDeed();
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const email = String(new FormData(form).get("email-address"));
    deed.run(async () => {
      says.value = "";
      const { waiting } = await accountApi.setEmail({ email, language: chosenLanguage() });
      form.reset();
      says.value = t("ac.email_sent", { email: waiting ?? email });
      await loading.load();
    });
  };
  const remove = () =>
    deed.run(async () => {
      await accountApi.removeEmail();
      says.value = t("ac.email_removed");
      title.current?.focus();
      await loading.load();
    });
  const found = loading.found.value;
  const words = deed.problem.value ?? loading.problem.value;
  return html`<section aria-labelledby="email">
    <h2 id="email" tabindex="-1" ref=${title}>${t("ac.email")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("ac.email_says")}</p>
      ${found && !found.email && !found.waiting && html`<p class="dim">${t("ac.email_none")}</p>`}
      ${found?.email && html`<${Address} text=${found.email} says=${t("ac.email_counts")} />`}
      ${found?.waiting && html`<${Address} text=${found.waiting} says=${t("ac.email_waits")} />`}
      ${
        (found?.email || found?.waiting) &&
        html`<div class="row">
          <button class="btn" type="button" onClick=${remove}>${t("ac.email_remove")}</button>
        </div>`
      }
      <form class="st-token" onSubmit=${send}>
        <label class="lbl" for="email-address">${t(found?.email ? "ac.email_other" : "ac.email_field")}</label>
        <input
          class="field"
          id="email-address"
          name="email-address"
          type="email"
          maxlength="254"
          autocomplete="email"
          autocapitalize="none"
          spellcheck=${false}
          required
        />
        <button class="btn" type="submit" aria-busy=${deed.busy.value || undefined}>${t("ac.email_send")}</button>
      </form>
      <p class="t13 dim" role="status">${says.value}</p>
      ${words && html`<${Fault} message=${words} />`}
    </div>
  </section>`;
}

/** @param {{ text: string; says: string }} props the address, and what it is worth */
function Address({ text, says }) {
  return html`<p><bdi dir="ltr">${text}</bdi> <small class="dim">${says}</small></p>`;
}
