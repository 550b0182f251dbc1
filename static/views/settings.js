// @ts-check
/** Settings: the model, what may be spent, how the page looks, what is remembered, and one's data. */

import { batch, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { html } from "../html.js";
import { t } from "../i18n/you.js";
import { onReturn } from "../net.js";
import * as you from "../you.js";
import { Data } from "./data.js";
import { Erased } from "./erase.js";
import { Look } from "./look.js";
import { Memories } from "./memories.js";
import { Budgets, Model } from "./serverside.js";
import { Fault, Shell } from "./shell.js";

/** @import { Memory, Run, Status } from "../types.d.ts" */

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
      const [known, kept, last] = await Promise.all([api.status(), you.memories(), you.lastRuns()]);
      batch(() => { status.value = known; memories.value = kept; runs.value = last; problem.value = null; });
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => {
    document.title = t("st.page");
    load();
    return onReturn(load);
  }, []);

  if (erased.value) return html`<${Shell}><${Erased} /><//>`;
  return html`<${Shell}><div class="wrap pg st">
    <header><h1 class="t24">${t("st.title")}</h1></header>
    ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} busy=${busy.value} />`}
    ${!status.value && !problem.value && html`<p class="loading dimmer" role="status">${t("st.loading")}</p>`}
    ${status.value && html`<${Model} status=${status.value} runs=${runs.value} /><${Budgets} status=${status.value} />`}
    <${Look} />
    ${status.value && html`<${Memories} memories=${memories.value} onChanged=${(/** @type {Memory[]} */ now) => { memories.value = now; }} />
      <${Data} onErased=${() => { erased.value = true; }} />
      <p class="st-foot">${t("st.about", { version: status.value.version })} · <a href="/docs" target="_blank">${t("st.about_api")}</a></p>`}
  </div><//>`;
}
