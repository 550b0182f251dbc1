// @ts-check
/** Ways to sign in besides the password: a passkey, and an account elsewhere. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import { NoPasskey, createPasskey, hasPasskeys, provePasskey } from "../../net/passkeys.js";
import { Icon } from "../common/icons.js";

/** @import { SignInMethods } from "../../types.d.ts" */

/** Sign in with a passkey that is asked for after the password. @param {any} asked */
export async function proveAfterPassword(asked) {
  await accountApi.signInWithPasskey(await inWords(() => provePasskey(asked), "si.passkey_asked"));
}

/**
 * The buttons of the ways that the server has switched on.
 * @param {{ ways: SignInMethods, code?: string, onSignedIn: () => void }} props `code`: of the link that lets its
 *   person choose one of them
 */
export function OtherWays({ ways, code, onSignedIn }) {
  const problem = useSignal(/** @type {string | null} */ (null));
  const isBusy = useSignal(false);
  const { methods, provider } = ways;
  /** @param {() => Promise<void>} deed */
  const done = (deed) => async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      await deed();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      isBusy.value = false;
    }
  };
  const usePasskey = done(async () => {
    await (code ? createByLink(code) : signInWithPasskey());
    onSignedIn();
  });
  const visit = done(async () => {
    location.assign((await accountApi.visitProvider(code)).url);
  });
  const hasPasskey = methods.includes("passkey");
  if (!hasPasskey && !methods.includes("oidc")) return null;
  return html`
    ${methods.includes("password") && html`<p class="si-or">${t("si.or")}</p>`}
    <div class="si-other" aria-busy=${isBusy.value || undefined}>
      ${
        hasPasskey &&
        html`<button class="btn full" type="button" onClick=${usePasskey} disabled=${!hasPasskeys()}>
          <${Icon} name="key" small />${t(code ? "si.passkey_create" : "si.passkey")}
        </button>`
      }
      ${hasPasskey && !hasPasskeys() && html`<p class="hint">${t("si.passkey_none")}</p>`}
      ${
        methods.includes("oidc") &&
        html`<button class="btn full" type="button" onClick=${visit}>
          ${provider ? t("si.provider", { name: provider }) : t("si.provider_unnamed")}
        </button>`
      }
    </div>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
  `;
}

async function signInWithPasskey() {
  const asked = await accountApi.passkeyOptions();
  await accountApi.signInWithPasskey(await inWords(() => provePasskey(asked), "si.passkey_not"));
}

/** @param {string} code */
async function createByLink(code) {
  const asked = await accountApi.passkeyOptionsByLink(code);
  const created = await inWords(() => createPasskey(asked), "si.passkey_not_created");
  await accountApi.addPasskeyByLink({ ...created, code, name: t("ac.passkey_first") });
}

/**
 * What is asked of the browser, with words for a person where it has none to give.
 * @template T
 * @param {() => Promise<T>} ask @param {string} key
 */
export async function inWords(ask, key) {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof NoPasskey ? new Error(t(/** @type {any} */ (key))) : error;
  }
}
