// @ts-check
/** Model of a class: which one its paths may use, and what its calls may cost and have cost. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { money } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as classesApi from "../../net/classes_api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Problem } from "./confirm_dialog.js";

/** @import { ClassBudget, ClassModel as ClassModelName, SchoolClass, Status } from "../../types.d.ts" */

/** @type {ClassModelName[]} */
const MODELS = ["on", "local", "off"];

/** @param {{ of: SchoolClass, onChange: () => Promise<void> }} props */
export function ClassModel({ of, onChange }) {
  const loading = useLoaded(() => classesApi.budget(of.id));
  const local = useLoaded(async () => (await api.status()).localModel);
  const deed = useDeed();
  const choose = (/** @type {ClassModelName} */ model) =>
    deed.run(async () => {
      await classesApi.changeClass(of.id, { model });
      await onChange();
    });
  const budget = loading.found.value;
  const localModel = local.found.value;
  const choices = MODELS.filter((model) => model !== of.model && (model !== "local" || localModel));
  return html`<section aria-labelledby="class-model">
    <h2 id="class-model">${t("cl.model")}</h2>
    <p class="t13 dim">${modelWords(of.model, localModel)}</p>
    ${budget && html`<p class="t13 dim">${t("cl.spent", spentOf(budget))}</p>`}
    <p class="row">
      ${choices.map(
        (model) => html`<button
          key=${model}
          class="btn sm"
          type="button"
          aria-busy=${deed.busy.value || undefined}
          onClick=${() => choose(model)}
        >
          ${t(`cl.model.${model}`)}
        </button>`,
      )}
    </p>
    <${Problem} words=${deed.problem.value ?? loading.problem.value ?? local.problem.value} />
    ${
      budget &&
      html`<${Limits}
        classId=${of.id}
        budget=${budget}
        onSaved=${(/** @type {ClassBudget} */ saved) => {
          loading.found.value = saved;
        }}
      />`
    }
  </section>`;
}

/** What is asked on the paths of the class. @param {ClassModelName} model @param {Status["localModel"]} local */
function modelWords(model, local) {
  if (model !== "local") return t(`cl.model_says.${model}`);
  return local ? t("cl.model_says.local", { name: local.name, host: local.server }) : t("cl.model_missing_says");
}

/** @param {ClassBudget} budget */
const spentOf = ({ today, thisMonth }) => ({ day: money(today.usd), month: money(thisMonth.usd) });

/**
 * Limits in dollars; those in tokens, which only the API sets, stay.
 * @param {{ classId: string, budget: ClassBudget, onSaved: (saved: ClassBudget) => void }} props
 */
function Limits({ classId, budget, onSaved }) {
  const deed = useDeed();
  const isSaved = useSignal(false);
  const save = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    isSaved.value = false;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const { tokensPerDay, tokensPerMonth } = budget;
    const limits = { usdPerDay: dollars(given.get("day")), usdPerMonth: dollars(given.get("month")) };
    deed.run(async () => {
      onSaved(await classesApi.setBudget(classId, { ...limits, tokensPerDay, tokensPerMonth }));
      isSaved.value = true;
    });
  };
  return html`<details>
    <summary>${t("cl.limits")}</summary>
    <form onSubmit=${save}>
      <${Limit} name="day" label=${t("cl.limit_day")} value=${budget.usdPerDay} most=${budget.most.usdPerDay} />
      <${Limit} name="month" label=${t("cl.limit_month")} value=${budget.usdPerMonth} most=${budget.most.usdPerMonth} />
      <p class="t13 dim">${t("cl.limits_says")}</p>
      <button class="btn sm" type="submit" aria-busy=${deed.busy.value || undefined}>${t("cl.save")}</button>
      <p role="status" class="t13 dim">${isSaved.value ? t("cl.limits_saved") : ""}</p>
      <${Problem} words=${deed.problem.value} />
    </form>
  </details>`;
}

/** @param {{ name: string, label: string, value: number | null, most: number | null }} props `most`: by the settings */
const Limit = ({ name, label, value, most }) => html`<div class="st-field">
  <label class="lbl" for=${`limit-${name}`}>${label}</label>
  <input
    class="field"
    id=${`limit-${name}`}
    name=${name}
    type="number"
    min="0"
    step="0.01"
    max=${most ?? undefined}
    placeholder=${most === null ? t("cl.no_limit") : String(most)}
    defaultValue=${value ?? ""}
  />
</div>`;

/** Dollars that were typed; null for an empty field, which sets no limit. @param {FormDataEntryValue | null} typed */
const dollars = (typed) => (typed ? Number(typed) : null);
