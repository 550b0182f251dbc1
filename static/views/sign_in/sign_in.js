// @ts-check
/** Sign-in screen, and those of the links with which a person chooses how to sign in. */

import { useEffect } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import * as accountApi from "../../net/account_api.js";
import { startOver } from "../../net/signed_out.js";
import { homeUrl } from "../../state/router.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Fault, Shell } from "../common/shell.js";
import { CredentialsForm } from "./credentials_form.js";
import { Ground } from "./ground.js";
import { OtherWays, proveAfterPassword } from "./other_ways.js";
import { problemOfAddress } from "./problem_of_address.js";

/** @import { ComponentChildren } from "preact" */

/** The fields of the forms; each password manager knows them by `complete`. */
const name = () => ({ id: "name", label: t("si.name"), complete: "username" });
const newPassword = () => ({
  id: "password",
  label: t("si.new_password"),
  type: /** @type {const} */ ("password"),
  complete: "new-password",
  hint: t("si.password_how"),
});

/** The one-time code of the address; it stands behind the `#`, which no server and no log is told. */
const codeOfAddress = () => location.hash.slice(1);

/** @param {{ way?: string }} props `way`: the page of a link, else that of signing in */
export function SignInScreen({ way }) {
  if (way === "set-up") return html`<${SetUp} />`;
  if (way === "password") return html`<${FromLink} />`;
  return html`<${SignIn} way=${way} />`;
}

/** @param {{ way?: string }} props `way`: the address is that of this screen, and leads nowhere else */
function SignIn({ way }) {
  const loading = useLoaded(accountApi.methods);
  const ways = loading.found.value;
  const problem = way ? problemOfAddress() : null;
  const enter = () => startOver(way ? homeUrl() : undefined);
  const password = {
    id: "password",
    label: t("si.password"),
    type: /** @type {const} */ ("password"),
    complete: "current-password",
  };
  return html`<${Frame} page=${t("si.page")} title=${t("si.title")}>
    ${problem && html`<${Fault} message=${problem} />`}
    <${LoadingState} of=${loading} words=${t("si.busy")} />
    ${ways?.setUp && html`<p class="si-says">${t("si.no_owner")}</p>`}
    ${
      ways?.methods.includes("password") &&
      html`<${CredentialsForm}
        fields=${[name(), password]}
        go=${t("si.go")}
        busyWords=${t("si.going")}
        onSubmit=${async (/** @type {any} */ given) => {
          const answer = await accountApi.signIn(given);
          if ("publicKey" in answer) await proveAfterPassword(answer);
          enter();
        }}
      />`
    }
    ${ways && html`<${OtherWays} ways=${ways} onSignedIn=${enter} /><p class="hint">${t("si.forgotten")}</p>`}
  <//>`;
}

function SetUp() {
  const code = codeOfAddress();
  const loading = useLoaded(accountApi.methods);
  const ways = loading.found.value;
  const isPasswordAlone = ways?.methods.join() === "password";
  return html`<${Frame} page=${t("si.set_up_page")} title=${t("si.set_up")}>
    <p class="si-says">${t("si.set_up_says")}</p>
    <${WithCode} code=${code}>
      <${LoadingState} of=${loading} words=${t("si.busy")} />
      ${
        ways &&
        html`<${CredentialsForm}
          fields=${isPasswordAlone ? [name(), newPassword()] : [name()]}
          go=${t("si.set_up_go")}
          busyWords=${t("si.busy")}
          onSubmit=${async (/** @type {any} */ given) => {
            if (!isPasswordAlone) return startOver((await accountApi.inviteOwner({ ...given, code })).path);
            await accountApi.setUp({ ...given, code });
            startOver(homeUrl());
          }}
        />`
      }
    <//>
  <//>`;
}

function FromLink() {
  const code = codeOfAddress();
  const loading = useLoaded(accountApi.methods);
  const ways = loading.found.value;
  const isPasswordAlone = ways?.methods.join() === "password";
  const words = isPasswordAlone
    ? { page: t("si.link_page"), title: t("si.link") }
    : { page: t("si.ways_page"), title: t("si.ways") };
  return html`<${Frame} ...${words}>
    <${WithCode} code=${code}>
      <${LoadingState} of=${loading} words=${t("si.busy")} />
      ${
        ways?.methods.includes("password") &&
        html`<${CredentialsForm}
          fields=${[newPassword()]}
          go=${t("si.link_go")}
          busyWords=${t("si.busy")}
          onSubmit=${async (/** @type {any} */ given) => {
            await accountApi.setPassword({ ...given, code });
            startOver(homeUrl());
          }}
        />`
      }
      ${ways && html`<${OtherWays} ways=${ways} code=${code} onSignedIn=${() => startOver(homeUrl())} />`}
    <//>
  <//>`;
}

/** @param {{ code: string, children: ComponentChildren }} props */
const WithCode = ({ code, children }) => (code ? children : html`<${Fault} message=${t("si.no_code")} />`);

/** @param {{ page: string, title: string, children: ComponentChildren }} props */
function Frame({ page, title, children }) {
  useEffect(() => {
    document.title = page;
  }, [page]);
  return html`<${Shell} bare>
    <div class="si">
      <div class="wrap">
        <h1 class="ask-title">${title}</h1>
        <div class="si-col">${children}</div>
      </div>
      <${Ground} />
    </div>
  <//>`;
}
