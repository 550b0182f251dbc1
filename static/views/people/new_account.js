// @ts-check
/** Form for a new account; its link is shown once. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/people.js";
import { html } from "../../lib/html.js";
import * as peopleApi from "../../net/people_api.js";
import { Icon } from "../common/icons.js";
import { OneTimeLink } from "./one_time_link.js";
import { RoleSelect } from "./role_choice.js";

/** @import { Account, PasswordLink } from "../../types.d.ts" */

/** @param {{ onCreated: (account: Account) => void }} props */
export function NewAccount({ onCreated }) {
  const role = useSignal(/** @type {Account["role"]} */ ("learner"));
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const made = useSignal(/** @type {{ name: string, link: PasswordLink } | null} */ (null));
  const create = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    const form = /** @type {HTMLFormElement} */ (event.target);
    const [name, displayName] = ["new-name", "new-display"].map((field) =>
      String(new FormData(form).get(field)).trim(),
    );
    try {
      const asked = { name, role: role.value };
      const { account, link } = await peopleApi.invite(displayName ? { ...asked, displayName } : asked);
      onCreated(account);
      made.value = { name: account.displayName, link };
      form.reset();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
    isBusy.value = false;
  };
  return html`<section aria-labelledby="new-account">
    <h2 id="new-account">${t("pp.new")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("pp.new_says")}</p>
      <form class="ppl-new" onSubmit=${create}>
        <div>
          <label class="lbl" for="new-name">${t("pp.name")}</label>
          <input
            class="field"
            id="new-name"
            name="new-name"
            maxlength="200"
            autocomplete="off"
            autocapitalize="none"
            spellcheck=${false}
            required
            aria-invalid=${problem.value !== null || undefined}
          />
        </div>
        <div>
          <label class="lbl" for="new-display">${t("pp.display")}</label>
          <input
            class="field"
            id="new-display"
            name="new-display"
            maxlength="100"
            autocomplete="off"
            aria-describedby="new-display-how"
          />
          <p class="hint" id="new-display-how">${t("pp.display_how")}</p>
        </div>
        <div>
          <${RoleSelect}
            label=${t("pp.role")}
            isLabelled
            role=${role.value}
            onChoose=${(/** @type {Account["role"]} */ chosen) => {
              role.value = chosen;
            }}
          />
        </div>
        ${
          problem.value &&
          html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`
        }
        <button class="btn go" type="submit" aria-busy=${isBusy.value || undefined}>
          ${t(isBusy.value ? "pp.creating" : "pp.create")}
        </button>
      </form>
      ${made.value && html`<${OneTimeLink} ...${made.value} />`}
    </div>
  </section>`;
}
