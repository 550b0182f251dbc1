// @ts-check
/** One person: role, whether they may sign in, and a new link. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/people.js";
import { commaJoined, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as peopleApi from "../../net/people_api.js";
import { Icon } from "../common/icons.js";
import { OneTimeLink } from "./one_time_link.js";
import { RoleChoice } from "./role_choice.js";

/** @import { Account, PasswordLink, Person } from "../../types.d.ts" */

/**
 * @param {{
 *   person: Person,
 *   isCaller: boolean,
 *   isOnlyOwner: boolean,
 *   onChange: (account: Account) => void,
 * }} props
 */
export function PersonRow({ person, isCaller, isOnlyOwner, onChange }) {
  const link = useSignal(/** @type {PasswordLink | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const says = useSignal("");
  const { userId, displayName: name } = person;
  /** @param {() => Promise<void>} deed */
  const done = async (deed) => {
    problem.value = null;
    says.value = "";
    try {
      await deed();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  const saveRole = (/** @type {Account["role"]} */ role) =>
    done(async () => {
      onChange(await peopleApi.change(userId, { role }));
      says.value = t("pp.role_saved", { name, role: t(`pp.role.${role}`) });
    });
  const toggle = () =>
    done(async () => {
      const changed = await peopleApi.change(userId, { disabled: !person.disabledAt });
      onChange(changed);
      says.value = t(changed.disabledAt ? "pp.is_disabled" : "pp.is_enabled", { name });
    });
  const renewLink = () =>
    done(async () => {
      link.value = await peopleApi.createLink(userId);
    });
  const isFixed = isCaller || isOnlyOwner;
  const [to, label] = person.disabledAt
    ? [t("pp.enable"), t("pp.enable_of", { name })]
    : [t("pp.disable"), t("pp.disable_of", { name })];
  return html`<li>
    <div class="ppl-who">
      <h3 dir="auto">${name}${isCaller && html` <small>(${t("pp.you")})</small>`}</h3>
      <p class="t13 dim">${factsOf(person)}</p>
    </div>
    <div class="row">
      ${!isFixed && html`<${RoleChoice} person=${person} onSave=${saveRole} />`}
      <button class="btn sm" type="button" aria-label=${t("pp.link_of", { name })} onClick=${renewLink}>
        ${t("pp.link")}
      </button>
      ${!isFixed && html`<button class="btn sm" type="button" aria-label=${label} onClick=${toggle}>${to}</button>`}
    </div>
    ${isFixed && html`<p class="ppl-note t13 dim">${t(isOnlyOwner ? "pp.only_owner" : "pp.yourself")}</p>`}
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <p class="ppl-note t13 dim" role="status">${says.value}</p>
    ${link.value && html`<${OneTimeLink} name=${name} link=${link.value} />`}
  </li>`;
}

/** "anna, Learner, last here: yesterday". @param {Person} person */
function factsOf({ name, displayName, role, lastSeenAt, disabledAt, hasPassword }) {
  return commaJoined([
    name !== displayName && name,
    t(`pp.role.${role}`),
    lastSeenAt ? t("pp.seen", { day: day(lastSeenAt, api.serverNow()) }) : t("pp.never_seen"),
    disabledAt && t("pp.disabled"),
    !hasPassword && !lastSeenAt && t("pp.no_password"),
  ]);
}
