// @ts-check
/** Passkeys: added with a name, removed, and whether the password takes one too. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import { createPasskey, hasPasskeys } from "../../net/passkeys.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";
import { inWords } from "../sign_in/other_ways.js";

/** @import { Account, Passkey } from "../../types.d.ts" */

/** @param {{ account: Account, hasPasswords: boolean }} props `hasPasswords`: whether the server takes passwords */
export function Passkeys({ account, hasPasswords }) {
  const loading = useLoaded(accountApi.passkeys);
  const deed = useDeed();
  const says = useSignal("");
  const isAsked = useSignal(account.passkeyAfterPassword);
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  /** @param {() => Promise<unknown>} job */
  const change = (job) =>
    deed.run(async () => {
      says.value = "";
      await job();
      await loading.load();
    });
  const add = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const name = String(new FormData(form).get("passkey-name"));
    change(async () => {
      const asked = await accountApi.newPasskeyOptions();
      const created = await inWords(() => createPasskey(asked), "si.passkey_not_created");
      await accountApi.addPasskey({ ...created, name });
      form.reset();
      says.value = t("ac.passkey_added");
    });
  };
  const remove = (/** @type {Passkey} */ passkey) =>
    change(async () => {
      await accountApi.removePasskey(passkey.id);
      says.value = t("ac.passkey_removed");
      title.current?.focus();
    });
  const ask = async (/** @type {boolean} */ wanted) => {
    isAsked.value = wanted;
    if (!(await change(() => accountApi.askForPasskey(wanted)))) isAsked.value = !wanted;
  };
  const busy = deed.busy.value;
  const all = loading.found.value;
  const words = deed.problem.value ?? loading.problem.value;
  return html`<section aria-labelledby="passkeys">
    <h2 id="passkeys" tabindex="-1" ref=${title}>${t("ac.passkeys")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("ac.passkeys_says")}</p>
      ${all && !all.length && html`<p class="dim">${t("ac.passkeys_none")}</p>`}
      <ul class="mems">
        ${all?.map(
          (one) => html`<${Way} key=${one.id} way=${one} kind="passkey" busy=${busy} onRemove=${() => remove(one)} />`,
        )}
      </ul>
      <form class="st-token" onSubmit=${add}>
        <label class="lbl" for="passkey-name">${t("ac.passkey_name")}</label>
        <input class="field" id="passkey-name" name="passkey-name" maxlength="100" autocomplete="off" required />
        <button class="btn" type="submit" disabled=${!hasPasskeys()} aria-disabled=${busy || undefined}>
          ${t("ac.passkey_add")}
        </button>
      </form>
      ${!hasPasskeys() && html`<p class="hint">${t("si.passkey_none")}</p>`}
      ${
        hasPasswords &&
        account.hasPassword &&
        (Boolean(all?.length) || isAsked.value) &&
        html`<label class="st-check">
          <input
            type="checkbox"
            checked=${isAsked.value}
            aria-disabled=${busy || undefined}
            onClick=${(/** @type {Event} */ event) => busy && event.preventDefault()}
            onChange=${(/** @type {any} */ event) => ask(event.target.checked)}
          />
          <span>${t("ac.passkey_after")}</span>
        </label>`
      }
      <p class="vh" role="status">${says.value}</p>
      ${words && html`<${Fault} message=${words} />`}
    </div>
  </section>`;
}

/**
 * A way to sign in with a button that takes it away.
 * @param {{ way: Passkey, kind: "passkey" | "identity", busy: boolean, onRemove: () => void }} props `busy`: a change
 *   of them is under way
 */
export function Way({ way, kind, busy, onRemove }) {
  const used = way.lastUsedAt ? t("ac.used", { day: day(way.lastUsedAt, api.serverNow()) }) : t("ac.way_unused");
  return html`<li>
    <p dir="auto">${way.name} <small>${used}</small></p>
    <div class="row">
      <button
        class="btn sm"
        type="button"
        aria-disabled=${busy || undefined}
        aria-label=${t(`ac.${kind}_remove_it`, { name: way.name })}
        onClick=${onRemove}
      >
        ${t(`ac.${kind}_remove`)}
      </button>
    </div>
  </li>`;
}
