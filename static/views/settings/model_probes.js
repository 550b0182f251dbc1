// @ts-check
/** What the models of the server can do, and the button that finds it out. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/you.js";
import { count, modelName } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { isUnfit } from "../../lib/model_fitness.js";
import * as modelsApi from "../../net/models_api.js";
import { Icon } from "../common/icons.js";

/** @import { ProbedModel } from "../../types.d.ts" */

/** @param {{ probes: ProbedModel[], isOwner: boolean }} props */
export function ModelProbes({ probes, isOwner }) {
  const found = useSignal(probes);
  const running = useSignal(false);
  const problem = useSignal("");

  const start = async () => {
    if (running.value) return;
    running.value = true;
    problem.value = "";
    try {
      found.value = await modelsApi.probe();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      running.value = false;
    }
  };

  const label = running.value ? t("st.probe_running") : t("st.probe_start");
  return html`<div class="st-field" role="group" aria-label=${t("st.probe")}>
    <ul class="plain" aria-live="polite">
      ${found.value.map((one) => html`<${Verdict} key=${one.model} probed=${one} />`)}
    </ul>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
    ${
      isOwner &&
      html`
        <div>
          <button class="btn" type="button" aria-busy=${running.value} onClick=${start}>${label}</button>
        </div>
        <p class="t13 dim">${t("st.probe_cost")}</p>
      `
    }
  </div>`;
}

/** @param {{ probed: ProbedModel }} props */
function Verdict({ probed }) {
  const { fitness, minutes, probe } = probed;
  const model = modelName(probed.model, false);
  if (!probe) return html`<li class="dim">${t("st.probe_never", { model })}</li>`;
  const words = t(`st.fitness.${fitness}`, { model, window: count(probe.window ?? 0) });
  return html`<li>
    ${isUnfit(fitness) ? html`<p class="err"><${Icon} name="warn" small />${words}</p>` : words}
    ${
      probe.tokensPerS !== null &&
      minutes !== null &&
      fitness !== "calls_no_tools" &&
      html` <span class="dim">${t("st.probe_speed", { speed: count(Math.round(probe.tokensPerS)), minutes })}</span>`
    }
    ${probe.longPrompt === "cut" && html` <span class="dim">${t("st.probe_cut")}</span>`}
  </li>`;
}
