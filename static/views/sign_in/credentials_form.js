// @ts-check
/** Form that ends in a session: some fields, one button, and what the server says against them. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";

/**
 * @typedef {{ id: string, label: string, type?: "password", complete: string, hint?: string }} Field `complete`: what
 *   a browser or a password manager may fill in
 */

/** @returns {Field} */
export const nameField = () => ({ id: "name", label: t("si.name"), complete: "username" });
/** @returns {Field} */
export const newPasswordField = () => ({
  id: "password",
  label: t("si.new_password"),
  type: "password",
  complete: "new-password",
  hint: t("si.password_how"),
});

/**
 * @param {{
 *   fields: Field[],
 *   go: string,
 *   busyWords: string,
 *   onSubmit: (given: Record<string, string>) => Promise<unknown>,
 * }} props `onSubmit` throws an ApiError whose message is shown
 */
export function CredentialsForm({ fields, go, busyWords, onSubmit }) {
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => {
    const isTyping = document.activeElement instanceof HTMLInputElement; // a class code, in the form beside it
    if (!isTyping) form.current?.querySelector("input")?.focus();
  }, []);
  const last = fields[fields.length - 1].id;
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    const given = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (event.target)));
    try {
      await onSubmit(/** @type {Record<string, string>} */ (given));
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      isBusy.value = false;
      document.getElementById(last)?.focus();
    }
  };
  return html`<form ref=${form} onSubmit=${submit} aria-describedby=${problem.value ? "sign-in-problem" : undefined}>
    ${fields.map(
      ({ id, label, type, complete, hint }) => html`<div class="si-field" key=${id}>
        <label class="lbl" for=${id}>${label}</label>
        <input
          class="field"
          id=${id}
          name=${id}
          type=${type ?? "text"}
          autocomplete=${complete}
          autocapitalize="none"
          spellcheck=${false}
          required
          aria-invalid=${(problem.value !== null && id === last) || undefined}
          aria-describedby=${hint ? `${id}-how` : undefined}
        />
        ${hint && html`<p class="hint" id="${id}-how">${hint}</p>`}
      </div>`,
    )}
    ${
      problem.value &&
      html`<p class="err" id="sign-in-problem" role="alert">
        <${Icon} name="warn" small /><span>${problem.value}</span>
      </p>`
    }
    <button class="btn go full" type="submit" aria-busy=${isBusy.value || undefined}>
      ${isBusy.value ? busyWords : go}
    </button>
  </form>`;
}
