// @ts-check
/** The account of one who signs in: who they are, signing out, the ways to sign in. Nothing on a server for one learner. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import { startOver } from "../../net/signed_out.js";
import { homeUrl, peopleUrl } from "../../state/router.js";
import { clearDrafts } from "../../state/settings.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";
import { AccountClasses } from "./account_classes.js";
import { AccountSessions } from "./account_sessions.js";
import { AccessTokens } from "./access_tokens.js";
import { EmailAddress } from "./email_address.js";
import { Identities } from "./identities.js";
import { Passkeys } from "./passkeys.js";
import { PasswordChange } from "./password_change.js";

/** @import { Account, Caller, SignInMethods } from "../../types.d.ts" */

export function AccountSettings() {
  const loading = useLoaded(fetchAccount);
  const found = loading.found.value;
  if (loading.problem.value) return html`<${Fault} message=${loading.problem.value} onRetry=${loading.load} />`;
  if (!found?.caller.account) return null;
  return html`<${AccountSections} caller=${found.caller} account=${found.caller.account} ways=${found.ways} />`;
}

async function fetchAccount() {
  const [caller, ways] = await Promise.all([api.caller(), accountApi.methods()]);
  return { caller, ways };
}

/** @param {{ caller: Caller, account: Account, ways: SignInMethods }} props */
function AccountSections({ caller, account, ways: { methods, provider, recovery } }) {
  const problem = useSignal(/** @type {string | null} */ (null));
  /** Leave this browser to the next person. @param {() => Promise<unknown>} end */
  const leave = async (end) => {
    try {
      await end();
      clearDrafts();
      startOver(homeUrl());
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  return html`
    <section aria-labelledby="account">
      <h2 id="account">${t("ac.title")}</h2>
      <div class="st-in">
        <p>${t("ac.is", { name: account.displayName })} <small class="dim">${t(`ac.role.${account.role}`)}</small></p>
        ${problem.value && html`<${Fault} message=${problem.value} />`}
        <div class="row">
          <button class="btn" type="button" onClick=${() => leave(accountApi.signOut)}>${t("ac.out")}</button>
        </div>
        ${methods.includes("password") && account.hasPassword && html`<${PasswordChange} />`}
      </div>
    </section>
    ${caller.scopes.includes("admin") && html`<${PeopleLink} />`}
    ${recovery && html`<${EmailAddress} />`}
    <${AccountClasses} hasPassword=${account.hasPassword} />
    ${
      methods.includes("passkey") &&
      html`<${Passkeys} account=${account} hasPasswords=${methods.includes("password")} />`
    }
    ${methods.includes("oidc") && html`<${Identities} provider=${provider} />`}
    <${AccountSessions} onLeave=${() => leave(accountApi.endAllSessions)} />
    <${AccessTokens} scopes=${caller.scopes} />
  `;
}

/** The way to the accounts of all, for owners. */
const PeopleLink = () => html`<section aria-labelledby="people">
  <h2 id="people">${t("ac.people")}</h2>
  <div class="st-in">
    <p class="t13 dim">${t("ac.people_says")}</p>
    <a class="btn" href=${peopleUrl()}>${t("ac.people_go")}</a>
  </div>
</section>`;
