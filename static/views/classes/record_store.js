// @ts-check
/** Record store of a class: where its statements are sent, and how far it is; nowhere unless a teacher says so. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { count, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import * as classesApi from "../../net/classes_api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { ConfirmDialog, Problem } from "./confirm_dialog.js";

/** @import { RecordStore, RecordStoreChange } from "../../types.d.ts" */

const EXAMPLE = "https://lrs.example/xapi";

/** @param {{ classId: string }} props */
export function ClassRecordStore({ classId }) {
  const loading = useLoaded(() => classesApi.recordStore(classId));
  const isEnding = useSignal(false);
  const store = loading.found.value;
  const isThere = !loading.busy.value || store !== null;
  return html`<section aria-labelledby="class-lrs">
    <h2 id="class-lrs">${t("cl.lrs")}</h2>
    <p class="t13 dim">${t(store ? "cl.lrs_on" : "cl.lrs_off")}</p>
    ${store && html`<${State} store=${store} />`}
    <${Problem} words=${loading.problem.value} />
    ${
      isThere &&
      html`<${Settings}
        classId=${classId}
        store=${store}
        onSaved=${(/** @type {RecordStore} */ saved) => {
          loading.found.value = saved;
        }}
      />`
    }
    ${
      store &&
      html`<p class="row">
        <button
          class="btn sm flat"
          type="button"
          onClick=${() => {
            isEnding.value = true;
          }}
        >
          ${t("cl.lrs_end")}
        </button>
      </p>`
    }
    ${
      isEnding.value &&
      html`<${ConfirmDialog}
        title=${t("cl.lrs_end_title")}
        text=${t("cl.lrs_end_text")}
        go=${t("cl.lrs_end")}
        keep=${t("cl.keep")}
        onGo=${async () => {
          await classesApi.removeRecordStore(classId);
          loading.found.value = null;
        }}
        onClose=${() => {
          isEnding.value = false;
        }}
      />`
    }
  </section>`;
}

/** @param {{ store: RecordStore }} props */
const State = ({ store }) => html`<p class="t13 cl-lrs-at" dir="auto">${store.endpoint}</p>
  <p class="t13 dim">
    ${t("cl.lrs_sent", { n: store.sent, sent: count(store.sent), waiting: count(store.waiting) })}
    ${store.lastSentAt ? ` ${t("cl.lrs_last", { day: day(store.lastSentAt, Date.now()) })}` : ""}
  </p>
  <${Problem} words=${store.problem && serverSentence(store.problem)} />`;

/** @param {{ classId: string, store: RecordStore | null, onSaved: (saved: RecordStore) => void }} props */
function Settings({ classId, store, onSaved }) {
  const deed = useDeed();
  const says = useSignal("");
  const act = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    says.value = "";
    const form = /** @type {HTMLFormElement} */ (event.target);
    const change = typed(new FormData(form));
    const isTest = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value === "test";
    deed.run(async () => {
      if (isTest) says.value = await tried(classId, change);
      else {
        onSaved(await classesApi.setRecordStore(classId, change));
        says.value = t("cl.lrs_saved");
        form.secret.value = "";
      }
    });
  };
  return html`<details>
    <summary>${t(store ? "cl.lrs_change" : "cl.lrs_set")}</summary>
    <form class="cl-lrs-form" onSubmit=${act}>
      <${Field}
        name="endpoint"
        label=${t("cl.lrs_endpoint")}
        type="url"
        value=${store?.endpoint}
        placeholder=${EXAMPLE}
        required
      />
      <${Field} name="key" label=${t("cl.lrs_key")} value=${store?.key} required />
      <${Field}
        name="secret"
        label=${t("cl.lrs_secret")}
        type="password"
        placeholder=${store ? t("cl.lrs_kept") : ""}
        required=${!store}
      />
      <label class="cl-check">
        <input type="checkbox" name="names" defaultChecked=${store?.names ?? false} />
        <span>${t("cl.lrs_names")}</span>
      </label>
      <p class="t13 dim">${t("cl.lrs_names_says")}</p>
      <p class="row">
        <button class="btn sm" type="submit" value="save" aria-busy=${deed.busy.value || undefined}>
          ${t("cl.save")}
        </button>
        <button class="btn sm" type="submit" value="test">${t("cl.lrs_test")}</button>
      </p>
      <p role="status" class="t13 dim">${says.value}</p>
      <${Problem} words=${deed.problem.value} />
    </form>
  </details>`;
}

/** @param {{ name: string, label: string, type?: string, value?: string, placeholder?: string, required?: boolean }} props */
const Field = ({ name, label, type = "text", value, placeholder, required }) => html`<div class="st-field">
  <label class="lbl" for=${`lrs-${name}`}>${label}</label>
  <input
    class="field"
    id=${`lrs-${name}`}
    name=${name}
    type=${type}
    required=${required}
    maxlength=${type === "text" ? 200 : 500}
    autocomplete=${type === "password" ? "new-password" : "off"}
    spellcheck="false"
    placeholder=${placeholder}
    defaultValue=${value ?? ""}
  />
</div>`;

/** What the form says; an empty secret is the one that is kept. @param {FormData} form @returns {RecordStoreChange} */
const typed = (form) => ({
  endpoint: String(form.get("endpoint")),
  key: String(form.get("key")),
  secret: String(form.get("secret")) || null,
  names: form.has("names"),
});

/** What a store says of itself, in a sentence. @param {string} classId @param {RecordStoreChange} change */
async function tried(classId, change) {
  const { versions, problem } = await classesApi.testRecordStore(classId, change);
  if (problem) throw new Error(serverSentence(problem) || problem.message);
  return t("cl.lrs_answers", { versions: versions.join(", ") });
}
