// @ts-check
/** Choice of a person's role; it is saved with a button, since arrow keys run through a choice. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../../i18n/people.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";

/** @import { Account, Person } from "../../types.d.ts" */

/** @type {Account["role"][]} */
export const ROLES = ["learner", "teacher", "owner"];

/** @param {{ person: Person, onSave: (role: Account["role"]) => Promise<void> }} props */
export function RoleChoice({ person, onSave }) {
  const chosen = useSignal(/** @type {Account["role"] | null} */ (null));
  const name = person.displayName;
  const save = async () => {
    if (chosen.value) await onSave(chosen.value);
    chosen.value = null;
  };
  return html`
    <${RoleSelect}
      label=${t("pp.role_of", { name })}
      role=${chosen.value ?? person.role}
      onChoose=${(/** @type {Account["role"]} */ role) => {
        chosen.value = role === person.role ? null : role;
      }}
    />
    ${
      chosen.value &&
      html`<button class="btn sm go" type="button" aria-label=${t("pp.save_of", { name })} onClick=${save}>
        ${t("pp.save")}
      </button>`
    }
  `;
}

/**
 * @param {{
 *   label: string,
 *   isLabelled?: boolean,
 *   role: Account["role"],
 *   onChoose: (role: Account["role"]) => void,
 * }} props `isLabelled`: the label is shown
 */
export function RoleSelect({ label, isLabelled = false, role, onChoose }) {
  const id = useId();
  return html`
    <label class=${isLabelled ? "lbl" : "vh"} for=${id}>${label}</label>
    <span class="pick">
      <select id=${id} value=${role} onChange=${(/** @type {any} */ event) => onChoose(event.target.value)}>
        ${ROLES.map((each) => html`<option key=${each} value=${each}>${t(`pp.role.${each}`)}</option>`)}
      </select>
      <${Icon} name="down" small />
    </span>
  `;
}
