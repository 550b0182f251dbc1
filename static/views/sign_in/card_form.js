// @ts-check
/** Form to come back with the five words of a card. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { Icon } from "../common/icons.js";

/**
 * @param {{ words?: string, onSignedIn: () => void }} props `words`: of a card that was scanned. They are not sent before
 *   a button is pressed: a link that somebody else sends signs nobody in.
 */
export function CardForm({ words = "", onSignedIn }) {
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => first.current?.focus(), []);
  const signIn = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isBusy.value || !field.current) return;
    isBusy.value = true;
    problem.value = null;
    try {
      await membershipsApi.signInByCard(field.current.value);
      onSignedIn();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      isBusy.value = false;
      field.current.focus();
    }
  };
  return html`<form onSubmit=${signIn}>
    ${words && html`<p class="si-says">${t("jn.words_link")}</p>`}
    <div class="si-field">
      <label class="lbl" for="card-words">${t("jn.words")}</label>
      <input
        class="field si-words"
        id="card-words"
        name="card-words"
        defaultValue=${words}
        maxlength="200"
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        required
        aria-invalid=${problem.value !== null || undefined}
        aria-describedby="card-words-how"
        ref=${(/** @type {HTMLInputElement | null} */ input) => {
          field.current = input;
          if (!words) first.current = input;
        }}
      />
      <p class="hint" id="card-words-how">${t("jn.words_how")}</p>
    </div>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <button
      class="btn go full"
      type="submit"
      aria-busy=${isBusy.value || undefined}
      ref=${(/** @type {HTMLButtonElement | null} */ button) => {
        if (words) first.current = button;
      }}
    >
      ${t(isBusy.value ? "jn.going" : "jn.words_go")}
    </button>
  </form>`;
}
