// @ts-check
/** Sign-in screen, beside it joining a class; and the screens of the links that choose how to sign in and of a card. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { t as joining } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import { startOver } from "../../net/signed_out.js";
import { homeUrl } from "../../state/router.js";
import { lazy } from "../common/lazy.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";
import { CardForm } from "./card_form.js";
import { CredentialsForm, nameField, newPasswordField } from "./credentials_form.js";
import { Frame, OnGround, WithCode, codeOfAddress } from "./frame.js";
import { JoinForm } from "./join_form.js";
import { JoinSignedIn } from "./join_signed_in.js";
import { OtherWays, proveAfterPassword } from "./other_ways.js";
import { problemOfAddress } from "./problem_of_address.js";
import { ConfirmEmail, Forgotten, ForgottenHint, Recover } from "./recovery.js";

/** @import { Joining } from "./join_form.js" */

const newCard = lazy(async () => {
  const [{ NewCard }] = await Promise.all([import("./new_card.js"), loadSheet("styles/card.css")]);
  return NewCard;
});

/** @param {{ way?: string }} props `way`: the page of a link, else that of signing in */
export function SignInScreen({ way }) {
  if (way === "set-up") return html`<${SetUp} />`;
  if (way === "password") return html`<${FromLink} />`;
  if (way === "forgotten") return html`<${Forgotten} />`;
  if (way === "recover") return html`<${Recover} />`;
  if (way === "email") return html`<${ConfirmEmail} />`;
  if (way === "card") return html`<${CardFromLink} />`;
  if (way === "join") return html`<${JoinFromLink} />`;
  return html`<${SignInOrJoin} isJoining=${false} comesBack=${Boolean(way)} />`;
}

/** The screen that a class's address leads to; one who is signed in joins with their account. */
function JoinFromLink() {
  const loading = useLoaded(api.caller);
  const account = loading.found.value?.account;
  if (account)
    return html`<${Frame} page=${joining("jn.page")} title=${joining("jn.join")}>
      <p class="si-says">${joining("jn.signed_in", { name: account.displayName })}</p>
      <${JoinSignedIn} code=${codeOfAddress()} onJoined=${() => startOver(homeUrl())} />
    <//>`;
  return loading.found.value || loading.problem.value ? html`<${SignInOrJoin} isJoining />` : html`<${OnGround} />`;
}

/**
 * @param {{ isJoining: boolean, comesBack?: boolean }} props `isJoining`: the address is that of joining, and may hold a
 *   class code; `comesBack`: it is that of this screen, which a provider leads back to, and leads nowhere else
 */
function SignInOrJoin({ isJoining, comesBack = false }) {
  const code = useMemo(() => (isJoining ? codeOfAddress() : ""), []);
  const joins = useSignal(isJoining);
  const joined = useSignal(/** @type {Joining | null} */ (null));
  if (joined.value) return html`<${OnGround}><${newCard.View} joining=${joined.value} /><//>`;
  const after = isJoining || comesBack ? homeUrl() : undefined;
  return html`<${Frame} page=${joining("jn.page")} title=${joining("jn.title")} isWide>
    <div class="seg si-ways" role="group" aria-label=${joining("jn.ways")}>
      ${[false, true].map(
        (isJoin) => html`<button
          key=${isJoin}
          type="button"
          aria-pressed=${joins.value === isJoin}
          onClick=${() => {
            joins.value = isJoin;
          }}
        >
          ${isJoin ? joining("jn.join") : t("si.title")}
        </button>`,
      )}
    </div>
    <div class="si-cols" data-way=${joins.value ? "join" : "sign-in"}>
      <section aria-labelledby="sign-in">
        <h2 id="sign-in">${t("si.title")}</h2>
        <${SignIn} after=${after} comesBack=${comesBack} />
      </section>
      <${Join}
        code=${code}
        after=${after}
        onJoined=${(/** @type {Joining} */ joining) => {
          joined.value = joining;
        }}
      />
    </div>
  <//>`;
}

/** @param {{ code: string, after?: string | undefined, onJoined: (joining: Joining) => void }} props */
function Join({ code, after, onJoined }) {
  const hasCard = useSignal(false);
  const swap = () => {
    hasCard.value = !hasCard.value;
  };
  return html`<section aria-labelledby="join">
    <h2 id="join">${joining(hasCard.value ? "jn.words_title" : "jn.join")}</h2>
    ${
      hasCard.value
        ? html`<${CardForm} onSignedIn=${() => startOver(after)} />`
        : html`<${JoinForm} code=${code} onJoined=${onJoined} />`
    }
    <p class="hint">
      ${joining(hasCard.value ? "jn.no_card" : "jn.been")}${" "}
      <button class="link" type="button" onClick=${swap}>${joining(hasCard.value ? "jn.to_join" : "jn.type")}</button>.
    </p>
  </section>`;
}

/** The screen that the code on a card leads to. The words leave the address before anything is drawn. */
function CardFromLink() {
  const words = useMemo(() => {
    const found = decodeURIComponent(codeOfAddress()).replaceAll("-", " ");
    history.replaceState(null, "", location.pathname);
    return found;
  }, []);
  return html`<${Frame} page=${joining("jn.words_page")} title=${joining("jn.words_title")}>
    <${CardForm} words=${words} onSignedIn=${() => startOver(homeUrl())} />
  <//>`;
}

/** @param {{ after?: string | undefined, comesBack: boolean }} props `after`: by default to what was asked for */
function SignIn({ after, comesBack }) {
  const loading = useLoaded(accountApi.methods);
  const ways = loading.found.value;
  const problem = comesBack ? problemOfAddress() : null;
  const enter = () => startOver(after);
  const password = {
    id: "password",
    label: t("si.password"),
    type: /** @type {const} */ ("password"),
    complete: "current-password",
  };
  return html`
    ${problem && html`<${Fault} message=${problem} />`}
    <${LoadingState} of=${loading} words=${t("si.busy")} />
    ${ways?.setUp && html`<p class="si-says">${t("si.no_owner")}</p>`}
    ${
      ways?.methods.includes("password") &&
      html`<${CredentialsForm}
        fields=${[nameField(), password]}
        go=${t("si.go")}
        busyWords=${t("si.going")}
        onSubmit=${async (/** @type {any} */ given) => {
          const answer = await accountApi.signIn(given);
          if ("publicKey" in answer) await proveAfterPassword(answer);
          enter();
        }}
      />`
    }
    ${ways && html`<${OtherWays} ways=${ways} onSignedIn=${enter} /><${ForgottenHint} ways=${ways} />`}
  `;
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
          fields=${isPasswordAlone ? [nameField(), newPasswordField()] : [nameField()]}
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
          fields=${[newPasswordField()]}
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
