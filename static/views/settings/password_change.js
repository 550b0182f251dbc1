// @ts-check
/** Change of the password, behind a button. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";

export function PasswordChange() {
  const isOpen = useSignal(false);
  const says = useSignal("");
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen.value) opener.current?.focus();
    wasOpen.current = isOpen.value;
  }, [isOpen.value]);
  const close = (/** @type {string} */ words) => {
    says.value = words;
    isOpen.value = false;
  };
  return html`<div>
    ${
      isOpen.value
        ? html`<${PasswordForm} onDone=${close} />`
        : html`<button
            class="btn"
            type="button"
            ref=${opener}
            onClick=${() => {
              says.value = "";
              isOpen.value = true;
            }}
          >
            ${t("ac.password_change")}
          </button>`
    }
    <p class="t13 dim" role="status">${says.value}</p>
  </div>`;
}

/** @param {{ onDone: (words: string) => void }} props */
function PasswordForm({ onDone }) {
  const { busy, problem, run } = useDeed();
  const first = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => first.current?.focus(), []);
  const save = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    run(async () => {
      await accountApi.changePassword({
        oldPassword: String(given.get("old-password")),
        newPassword: String(given.get("new-password")),
      });
      onDone(t("ac.password_saved"));
    });
  };
  return html`<form class="st-password" onSubmit=${save}>
    <label class="lbl" for="old-password">${t("ac.password_old")}</label>
    <input
      class="field"
      id="old-password"
      name="old-password"
      type="password"
      autocomplete="current-password"
      required
      ref=${first}
    />
    <label class="lbl" for="new-password">${t("si.new_password")}</label>
    <input
      class="field"
      id="new-password"
      name="new-password"
      type="password"
      autocomplete="new-password"
      required
      aria-describedby="new-password-how"
    />
    <p class="hint" id="new-password-how">${t("si.password_how")}</p>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <div class="row">
      <button class="btn sm go" type="submit" aria-busy=${busy.value || undefined}>${t("ac.password_save")}</button>
      <button class="btn sm" type="button" onClick=${() => onDone("")}>${t("ac.password_not")}</button>
    </div>
  </form>`;
}
