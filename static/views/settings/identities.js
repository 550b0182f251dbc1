// @ts-check
/** Accounts elsewhere with which one signs in here: linked and unlinked. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";
import { problemOfAddress } from "../sign_in/problem_of_address.js";
import { Way } from "./passkeys.js";

/** @import { LinkedIdentity } from "../../types.d.ts" */

/** @param {{ provider: string }} props `provider`: what people call it */
export function Identities({ provider }) {
  const loading = useLoaded(accountApi.identities);
  const deed = useDeed(problemOfAddress());
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => history.replaceState(history.state, "", location.pathname), []); // the problem is shown once
  const link = () => deed.run(async () => location.assign((await accountApi.linkIdentity()).url));
  const unlink = (/** @type {LinkedIdentity} */ identity) =>
    deed.run(async () => {
      await accountApi.unlinkIdentity(identity.id);
      says.value = t("ac.identity_removed");
      title.current?.focus();
      await loading.load();
    });
  const busy = deed.busy.value;
  const all = loading.found.value;
  const words = deed.problem.value ?? loading.problem.value;
  const name = provider || t("ac.identity_elsewhere");
  return html`<section aria-labelledby="identities">
    <h2 id="identities" tabindex="-1" ref=${title}>${name}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("ac.identities_says")}</p>
      <ul class="mems">
        ${all?.map(
          (one) => html`<${Way} key=${one.id} way=${one} kind="identity" busy=${busy} onRemove=${() => unlink(one)} />`,
        )}
      </ul>
      ${all && !all.length && html`<button class="btn" type="button" onClick=${link}>${t("ac.identity_link")}</button>`}
      <p class="vh" role="status">${says.value}</p>
      ${words && html`<${Fault} message=${words} />`}
    </div>
  </section>`;
}
