// @ts-check
/** Screens of a forgotten password: asking for a link by e-mail, the link itself, and confirming an address. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as accountApi from "../../net/account_api.js";
import { startOver } from "../../net/signed_out.js";
import { forgottenUrl, homeUrl, signInUrl } from "../../state/router.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { CredentialsForm, newPasswordField } from "./credentials_form.js";
import { Frame, WithCode, codeOfAddress } from "./frame.js";
import { proveAfterPassword } from "./other_ways.js";

/** @import { SignInMethods } from "../../types.d.ts" */

/** The way to those who have forgotten their password; without a mail server, whom to ask. @param {{ ways: SignInMethods }} props */
export const ForgottenHint = ({ ways }) => html`<p class="hint">
  ${ways.recovery ? html`<a href=${forgottenUrl()}>${t("si.forgotten_link")}</a>` : t("si.forgotten")}
</p>`;

export function Forgotten() {
  const loading = useLoaded(accountApi.methods);
  const ways = loading.found.value;
  const isSent = useSignal(false);
  return html`<${Frame} page=${t("si.forgotten_page")} title=${t("si.forgotten_title")}>
    <${LoadingState} of=${loading} words=${t("si.busy")} />
    ${ways && !ways.recovery && html`<p class="si-says">${t("si.forgotten")}</p>`}
    ${
      ways?.recovery &&
      (isSent.value
        ? html`<${Done} words=${t("si.forgotten_sent")} />`
        : html`
            <p class="si-says">${t("si.forgotten_says")}</p>
            <${CredentialsForm}
              fields=${[{ id: "name", label: t("si.forgotten_name"), complete: "username" }]}
              go=${t("si.forgotten_go")}
              busyWords=${t("si.busy")}
              onSubmit=${async (/** @type {any} */ { name }) => {
                await accountApi.requestLink({ name, language: chosenLanguage() });
                isSent.value = true;
              }}
            />
          `)
    }
    <p class="hint">
      ${ways?.recovery && t("si.forgotten_else")}${" "}<a href=${signInUrl()}>${t("si.back")}</a>
    </p>
  <//>`;
}

/** The screen of the link in a mail: it sets the password, and does not go around a passkey after it. */
export function Recover() {
  const code = codeOfAddress();
  const recover = async (/** @type {any} */ given) => {
    const answer = await accountApi.setPassword({ ...given, code });
    if ("publicKey" in answer) await prove(answer);
    startOver(homeUrl());
  };
  return html`<${Frame} page=${t("si.link_page")} title=${t("si.link")}>
    <${WithCode} code=${code}>
      <p class="si-says">${t("si.recover_says")}</p>
      <${CredentialsForm}
        fields=${[newPasswordField()]}
        go=${t("si.link_go")}
        busyWords=${t("si.busy")}
        onSubmit=${recover}
      />
    <//>
  <//>`;
}

/** @param {any} asked */
async function prove(asked) {
  try {
    await proveAfterPassword(asked);
  } catch {
    throw new Error(t("si.recover_passkey")); // the link is used up by now: signing in goes on from here
  }
}

/** The screen that a link to an address leads to. A program that opens all links of a mail confirms nothing. */
export function ConfirmEmail() {
  const code = codeOfAddress();
  const deed = useDeed();
  const isDone = useSignal(false);
  const confirm = () =>
    deed.run(async () => {
      await accountApi.confirmEmail(code);
      isDone.value = true;
    });
  return html`<${Frame} page=${t("si.email_page")} title=${t("si.email_title")}>
    <${WithCode} code=${code}>
      ${
        isDone.value
          ? html`<${Done} words=${t("si.email_done")} />`
          : html`
              <p class="si-says">${t("si.email_says")}</p>
              ${
                deed.problem.value &&
                html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${deed.problem.value}</span></p>`
              }
              <button class="btn go full" type="button" aria-busy=${deed.busy.value || undefined} onClick=${confirm}>
                ${t("si.email_go")}
              </button>
            `
      }
      <p class="hint"><a href=${homeUrl()}>${t("si.to_sprout")}</a></p>
    <//>
  <//>`;
}

/** What was done, in place of the form that did it, which had the focus. @param {{ words: string }} props */
function Done({ words }) {
  const says = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => says.current?.focus(), []);
  return html`<p class="si-says" role="status" tabindex="-1" ref=${says}>${words}</p>`;
}
