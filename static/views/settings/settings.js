// @ts-check
/** Settings screen: model, budgets, appearance, memories, data. */

import { batch, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import { onReconnect } from "../../net/connection.js";
import * as learnerApi from "../../net/learner_api.js";
import { Fault, Shell } from "../common/shell.js";
import { Appearance } from "./appearance.js";
import { LearnerData } from "./data.js";
import { Erased } from "./erase.js";
import { Memories } from "./memories.js";
import { ReviewsSettings } from "./review_settings.js";
import { BudgetSettings, ModelSettings } from "./server_settings.js";

/** @import { Memory, Run, Status } from "../../types.d.ts" */

export function SettingsScreen() {
  const status = useSignal(/** @type {Status | null} */ (null));
  const runs = useSignal(/** @type {Run[]} */ ([]));
  const memories = useSignal(/** @type {Memory[]} */ ([]));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(false);
  const erased = useSignal(false);

  const load = async () => {
    busy.value = true;
    try {
      const [known, kept, last] = await Promise.all([api.status(), learnerApi.memories(), learnerApi.recentRuns()]);
      batch(() => {
        status.value = known;
        memories.value = kept;
        runs.value = last;
        problem.value = null;
      });
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => {
    document.title = t("st.page");
    load();
    return onReconnect(load);
  }, []);

  if (erased.value) return html`<${Shell}><${Erased} /><//>`;
  return html`<${Shell}>
    <div class="wrap pg st">
      <header><h1 class="t24">${t("st.title")}</h1></header>
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} busy=${busy.value} />`}
      ${!status.value && !problem.value && html`<p class="loading dimmer" role="status">${t("st.loading")}</p>`}
      ${
        status.value &&
        html`
          <${ModelSettings} status=${status.value} runs=${runs.value} />
          <${BudgetSettings} status=${status.value} />
        `
      }
      <${ReviewsSettings} />
      <${Appearance} />
      ${
        status.value &&
        html`
          <${Memories}
            memories=${memories.value}
            onChanged=${(/** @type {Memory[]} */ now) => {
              memories.value = now;
            }}
          />
          <${LearnerData} onErased=${() => {
            erased.value = true;
          }} />
          <p class="st-foot">
            ${t("st.about", { version: status.value.version })} · <a href="/docs" target="_blank">
              ${t("st.about_api")}
            </a>
          </p>
        `
      }
    </div>
  <//>`;
}
