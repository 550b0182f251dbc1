// @ts-check
/** Model key that the data folder keeps: entered, replaced and removed here, and never shown. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as modelsApi from "../../net/models_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";

/** @import { Status } from "../../types.d.ts" */

/** What is to be said of a key that is kept, or of none. @param {Status["model"]} model */
function stateWords({ keySource, keyWaitsForRestart }) {
  if (keySource) return t(keyWaitsForRestart ? "st.key_saved" : "st.key_in_use");
  return keyWaitsForRestart ? t("st.key_removed") : "";
}

/** @param {{ model: Status["model"] }} props */
export function ModelKey({ model }) {
  const now = useSignal(model);
  const deed = useDeed();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const change = (/** @type {() => Promise<unknown>} */ job) =>
    deed.run(async () => {
      await job();
      now.value = (await api.status()).model;
    });
  const save = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const key = String(new FormData(form).get("model-key")).trim();
    if (await change(() => modelsApi.keepKey(key))) form.reset();
  };
  const remove = async () => {
    if (await change(modelsApi.removeKey)) field.current?.focus(); // the button is gone
  };
  const isKept = now.value.keySource !== null;
  return html`<form class="st-token" onSubmit=${save}>
    <label class="lbl" for="model-key">${t("st.key")}</label>
    <input
      class="field"
      id="model-key"
      name="model-key"
      type="password"
      maxlength="300"
      autocomplete="off"
      spellcheck=${false}
      required
      ref=${field}
      aria-describedby="model-key-how"
    />
    <p class="hint" id="model-key-how">${t("st.key_how")}</p>
    <div class="row">
      <button class="btn" type="submit" aria-busy=${deed.busy.value || undefined}>
        ${t(isKept ? "st.key_replace" : "st.key_save")}
      </button>
      ${
        isKept &&
        html`<button class="btn flat" type="button" onClick=${remove}>
          ${t("st.key_remove")}
        </button>`
      }
    </div>
    <p class="t13" role="status">${stateWords(now.value)}</p>
    ${
      deed.problem.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${deed.problem.value}</span></p>`
    }
  </form>`;
}
