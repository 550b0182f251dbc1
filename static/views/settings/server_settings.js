// @ts-check
/** Settings of the server: its model and the key, and budgets, with the names of their settings. */

import { t } from "../../i18n/you.js";
import { count, day, hour, modelName, money, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import * as api from "../../net/api.js";
import { modelContact } from "../../state/settings.js";
import { Icon } from "../common/icons.js";
import { ModelKey } from "./model_key.js";
import { ModelProbes } from "./model_probes.js";
import { useIsOwner } from "./owner.js";

/** @import { Budget, Run, Status } from "../../types.d.ts" */

const NEARLY = 0.8;
const MODEL_SETTINGS = {
  key: "ANTHROPIC_API_KEY",
  server: "ANTHROPIC_BASE_URL",
  model: "SPROUT_MODEL",
  doctor: "sprout doctor",
};

/** A sentence with its values set as code. @param {{ words: string, values: Record<string, string> }} props */
const WithCode = ({ words, values }) =>
  html`${words.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? html`<code>${values[part]}</code>` : part))}`;
const asTheyStand = Object.fromEntries(Object.keys(MODEL_SETTINGS).map((name) => [name, `{${name}}`]));

/** @param {Status["models"]} models */
function modelNames(models) {
  const [full, small] = [models.topic, models.small].map((name) => modelName(name, false));
  return full === small ? full : t("st.model_pair", { full, small });
}

/** Where the model runs. @param {Status["model"]} model */
function modelPlace(model) {
  if (model.offline) return t("st.model_here");
  return model.server ? t("st.model_server", { host: model.server }) : t("st.model_key");
}

/** @param {{ status: Status, runs: Run[] }} props */
export function ModelSettings({ status, runs }) {
  const { model, models } = status;
  const isOwner = useIsOwner();
  return html`<section aria-labelledby="model">
    <h2 id="model">${t("st.model")}</h2>
    <div class="st-in">
      <dl class="st-facts">
        <dt>${t("st.model_name")}</dt>
        <dd>
          ${model.offline ? t("st.model_offline") : modelNames(models)}
        </dd>
        <dt>${t("st.model_where")}</dt>
        <dd>
          ${modelPlace(model)}
        </dd>
        <dt>${t("st.model_answers")}</dt>
        <dd><${Answers} runs=${runs} /></dd>
      </dl>
      ${!model.offline && html`<${ModelProbes} probes=${status.probes} isOwner=${isOwner.value} />`}
      ${isOwner.value && model.keySource !== "environment" && html`<${ModelKey} model=${model} />`}
      <p class="t13 dim"><${WithCode} words=${t("st.model_how", asTheyStand)} values=${MODEL_SETTINGS} /></p>
    </div>
  </section>`;
}

/** @param {{ runs: Run[] }} props */
function Answers({ runs }) {
  const last = modelContact(runs);
  const when = last.atMs ? day(new Date(last.atMs).toISOString(), api.serverNow()) : "";
  if (last.state === "unasked") return html`<span class="dim">${t("st.model_unasked")}</span>`;
  if (last.state === "failed")
    return html`
      <span class="chip fault"><${Icon} name="warn" small />${t("st.model_failed")}</span> <span class="dim">
        ${when}
      </span>
      <p>${last.error && serverSentence(last.error)}</p>
    `;
  return html`
    <span class="chip leaf"><${Icon} name="check" small />${t("st.model_answered")}</span> <span class="dim">
      ${when}
    </span>
  `;
}

/** @param {{ status: Status }} props */
export function BudgetSettings({ status }) {
  const { learner, deployment, freeAt, month } = status.budget;
  return html`<section aria-labelledby="budgets">
    <h2 id="budgets">${t("st.budget")}</h2>
    <div class="st-in">
      <dl class="st-facts">
        <dt>${t("st.budget_learner")}</dt>
        <dd><${Spent} budget=${learner} /></dd>
        <dt>${t("st.budget_deployment")}</dt>
        <dd><${Spent} budget=${deployment} /></dd>
        ${month.learner && html`<dt>${t("st.budget_learner_month")}</dt><dd><${Spent} budget=${month.learner} /></dd>`}
        ${
          month.deployment &&
          html`<dt>${t("st.budget_deployment_month")}</dt><dd><${Spent} budget=${month.deployment} /></dd>`
        }
      </dl>
      ${
        (learner || deployment) &&
        html`<p class="t13 dim">${t("st.budget_free", { time: hour(new Date(parseMs(freeAt))) })}</p>`
      }
      <details class="st-set">
        <summary>${t("st.budget_setting")}</summary>
        <p>${t("st.budget_how")}</p>
        <table>
          <thead>
            <tr><th scope="col">${t("st.budget_name")}</th><th scope="col">${t("st.budget_value")}</th></tr>
          </thead>
          <tbody>
            ${settingsOf(status).map(
              ([name, value]) => html`<tr key=${name}>
                <td><code>${name}</code></td>
                <td>${value ?? html`<span class="dimmer">${t("st.budget_unset")}</span>`}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </details>
    </div>
  </section>`;
}

/**
 * The settings with their values, null if unset.
 * @param {Status} status
 * @returns {[string, string | null][]}
 */
const settingsOf = ({ budget }) =>
  /** @type {const} */ (["learner", "deployment"]).flatMap((whose) => {
    const name = `SPROUT_BUDGETS__${whose.toUpperCase()}`;
    const periods = /** @type {const} */ ([
      ["DAY", budget[whose]],
      ["MONTH", budget.month[whose]],
    ]);
    return periods.flatMap(
      ([period, own]) =>
        /** @type {[string, string | null][]} */ ([
          [`${name}_USD_PER_${period}`, own?.limitUsd?.toString() ?? null],
          [`${name}_TOKENS_PER_${period}`, own?.limitTokens?.toString() ?? null],
        ]),
    );
  });

/** @param {{ budget: Budget | null }} props */
function Spent({ budget }) {
  if (!budget) return html`<span class="dim">${t("st.budget_none")}</span>`;
  return html`
    ${
      budget.limitUsd !== null &&
      html`<${Bar}
        share=${budget.spentUsd / budget.limitUsd}
        words=${t("st.budget_spent", { spent: money(budget.spentUsd), limit: money(budget.limitUsd) })}
      />`
    }
    ${
      budget.limitTokens !== null &&
      html`<${Bar}
        share=${budget.spentTokens / budget.limitTokens}
        words=${t("st.budget_tokens", { spent: count(budget.spentTokens), limit: count(budget.limitTokens) })}
      />`
    }
  `;
}

/** @param {{ share: number, words: string }} props a share of a budget of nothing is all of it */
const Bar = ({ share, words }) =>
  html`<div>
    ${words}
    <div class=${share >= NEARLY ? "track near" : "track"} aria-hidden="true">
      <i style=${{ inlineSize: `${Math.round(100 * Math.min(1, Number.isFinite(share) ? share : 1))}%` }}></i>
    </div>
  </div>`;
