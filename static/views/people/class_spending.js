// @ts-check
/** Classes of all teachers, for owners: whose, how large, with which model, and what they cost this month. */

import { t } from "../../i18n/people.js";
import { commaJoined, money } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as peopleApi from "../../net/people_api.js";
import { LoadingState, useLoaded } from "../common/loaded.js";

/** @import { ClassSpending } from "../../types.d.ts" */

export function ClassSpendingList() {
  const loading = useLoaded(peopleApi.classSpending);
  const classes = loading.found.value;
  return html`<section aria-labelledby="all-classes">
    <h2 id="all-classes">${t("pp.classes")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("pp.classes_say")}</p>
      <${LoadingState} of=${loading} words=${t("pp.classes_loading")} />
      ${classes && !classes.length && html`<p class="dim">${t("pp.classes_none")}</p>`}
      <ul class="ppl-list">
        ${classes?.map((one) => html`<${ClassRow} key=${one.id} of=${one} />`)}
      </ul>
    </div>
  </section>`;
}

/** @param {{ of: ClassSpending }} props */
function ClassRow({ of }) {
  const facts = [
    t("pp.class_members", { n: of.members }),
    t(`pp.class_model.${of.model}`),
    of.archivedAt && t("pp.class_archived"),
  ];
  return html`<li>
    <div class="ppl-who">
      <h3 dir="auto">${of.name}</h3>
      <p class="t13" dir="auto">${t("pp.class_teacher", { name: of.teacher })}</p>
      <p class="t13 dim">${commaJoined(facts)}</p>
    </div>
    <p class="ppl-spent">
      ${money(of.thisMonth.usd)} <small>${t("pp.class_spent", { n: of.thisMonth.tokens })}</small>
    </p>
  </li>`;
}
