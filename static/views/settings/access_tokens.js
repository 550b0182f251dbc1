// @ts-check
/** Access tokens: made with some scopes, shown once, revoked. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { dayOfYear } from "../../lib/dates.js";
import { commaJoined, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";

/** @import { AccessToken, Scope } from "../../types.d.ts" */

/** @type {Scope[]} */
const ORDER = ["read", "learn", "seed", "admin"];

/** @param {{ scopes: Scope[] }} props `scopes`: those that the account may give */
export function AccessTokens({ scopes }) {
  const loading = useLoaded(accountApi.tokens);
  const deed = useDeed();
  const secret = useSignal("");
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const create = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const given = new FormData(form);
    const asked = { name: String(given.get("token-name")), scopes: given.getAll("scope").map(String) };
    deed.run(async () => {
      secret.value = (await accountApi.createToken(asked)).token;
      form.reset();
      await loading.load();
    });
  };
  const revoke = (/** @type {AccessToken} */ token) =>
    deed.run(async () => {
      await accountApi.revokeToken(token.id);
      says.value = t("ac.revoked");
      title.current?.focus();
      await loading.load();
    });
  const all = loading.found.value;
  const words = deed.problem.value ?? loading.problem.value;
  return html`<section aria-labelledby="tokens">
    <h2 id="tokens" tabindex="-1" ref=${title}>${t("ac.tokens")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("ac.tokens_says")}</p>
      ${all && !all.length && html`<p class="dim">${t("ac.tokens_none")}</p>`}
      <ul class="mems">
        ${all?.map((token) => html`<${Token} key=${token.id} token=${token} onRevoke=${() => revoke(token)} />`)}
      </ul>
      <form class="st-token" onSubmit=${create}>
        <label class="lbl" for="token-name">${t("ac.token_name")}</label>
        <input class="field" id="token-name" name="token-name" maxlength="100" autocomplete="off" required />
        <fieldset class="st-field">
          <legend class="lbl">${t("ac.token_scopes")}</legend>
          ${ORDER.filter((scope) => scopes.includes(scope)).map(
            (scope) => html`<label class="st-check" key=${scope}>
              <input type="checkbox" name="scope" value=${scope} checked=${scope === "read"} />
              <span>${t(`ac.scope.${scope}`)}</span>
            </label>`,
          )}
        </fieldset>
        <button class="btn" type="submit">${t("ac.token_create")}</button>
      </form>
      <div role="status">
        ${secret.value && html`<p>${t("ac.token_made")}</p><code class="st-secret">${secret.value}</code>`}
        <p class="vh">${says.value}</p>
      </div>
      ${words && html`<${Fault} message=${words} />`}
    </div>
  </section>`;
}

/** @param {{ token: AccessToken, onRevoke: () => void }} props */
function Token({ token, onRevoke }) {
  const now = api.serverNow();
  const used = token.lastUsedAt ? t("ac.token_used", { day: day(token.lastUsedAt, now) }) : t("ac.token_unused");
  const facts = [
    ...token.scopes.map((scope) => t(`ac.scope.${scope}`)),
    t("ac.token_until", { day: dayOfYear(Date.parse(token.expiresAt)) }),
    used,
  ];
  return html`<li>
    <p dir="auto">${token.name} <small>${commaJoined(facts)}</small></p>
    <div class="row">
      <button
        class="btn sm"
        type="button"
        aria-label=${t("ac.revoke_it", { name: token.name })}
        onClick=${onRevoke}
      >
        ${t("ac.revoke")}
      </button>
    </div>
  </li>`;
}
