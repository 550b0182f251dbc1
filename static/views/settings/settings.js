// @ts-check
/** Settings screen: model, budgets, appearance, memories, data. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Shell } from "../common/shell.js";
import { AccountSettings } from "./account.js";
import { Appearance } from "./appearance.js";
import { LearnerData } from "./data.js";
import { Erased } from "./erase.js";
import { Memories } from "./memories.js";
import { ReviewsSettings } from "./review_settings.js";
import { BudgetSettings, ModelSettings } from "./server_settings.js";

/** @import { Memory } from "../../types.d.ts" */

async function fetchSettings() {
  const [status, memories, runs] = await Promise.all([api.status(), learnerApi.memories(), learnerApi.recentRuns()]);
  return { status, memories, runs };
}

export function SettingsScreen() {
  const loading = useLoaded(fetchSettings);
  const erased = useSignal(false);
  useEffect(() => {
    document.title = t("st.page");
  }, []);
  const found = loading.found.value;

  if (erased.value) return html`<${Shell}><${Erased} /><//>`;
  return html`<${Shell}>
    <div class="wrap pg st">
      <header><h1 class="t24">${t("st.title")}</h1></header>
      <${LoadingState} of=${loading} words=${t("st.loading")} />
      <${AccountSettings} />
      <${ReviewsSettings} />
      <${Appearance} />
      ${
        found &&
        html`
          <${Memories}
            memories=${found.memories}
            onChanged=${(/** @type {Memory[]} */ memories) => {
              loading.found.value = { ...found, memories };
            }}
          />
          <${LearnerData} onErased=${() => {
            erased.value = true;
          }} />
          <${ModelSettings} status=${found.status} runs=${found.runs} />
          <${BudgetSettings} status=${found.status} />
          <p class="st-foot">
            ${t("st.about", { version: found.status.version })} · <a href="/docs" target="_blank">
              ${t("st.about_api")}
            </a>
          </p>
        `
      }
    </div>
  <//>`;
}
