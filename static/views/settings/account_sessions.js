// @ts-check
/** Where one is signed in: each session can be ended, and all at once. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { namesOf } from "../../lib/user_agent.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";

/** @import { AccountSession } from "../../types.d.ts" */

/** @param {{ onLeave: () => void }} props `onLeave`: signs out everywhere */
export function AccountSessions({ onLeave }) {
  const loading = useLoaded(accountApi.sessions);
  const deed = useDeed();
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const end = (/** @type {AccountSession} */ session) =>
    deed.run(async () => {
      await accountApi.endSession(session.id);
      says.value = t("ac.ended");
      title.current?.focus();
      await loading.load();
    });
  const words = deed.problem.value ?? loading.problem.value;
  return html`<section aria-labelledby="sessions">
    <h2 id="sessions" tabindex="-1" ref=${title}>${t("ac.sessions")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("ac.sessions_says")}</p>
      <ul class="mems">
        ${loading.found.value?.map(
          (session) => html`<${Session} key=${session.id} session=${session} onEnd=${() => end(session)} />`,
        )}
      </ul>
      ${words && html`<${Fault} message=${words} />`}
      <p class="vh" role="status">${says.value}</p>
      <button class="btn" type="button" onClick=${onLeave}>${t("ac.everywhere")}</button>
    </div>
  </section>`;
}

/** "Firefox on Linux"; what is not recognised, as it calls itself. @param {string} userAgent */
function browserName(userAgent) {
  const { browser, system } = namesOf(userAgent);
  if (browser && system) return t("ac.on", { browser, system });
  return browser || userAgent || t("ac.unknown_browser");
}

/** @param {{ session: AccountSession, onEnd: () => void }} props */
function Session({ session, onEnd }) {
  const name = browserName(session.userAgent);
  return html`<li>
    <p dir="auto">
      ${session.current ? html`<b>${t("ac.here")}</b> ` : ""}
      <span title=${session.userAgent}>${name}</span>
      <small>${t("ac.used", { day: day(session.lastSeenAt, api.serverNow()) })}</small>
    </p>
    ${
      !session.current &&
      html`<div class="row">
        <button class="btn sm" type="button" aria-label=${t("ac.end_it", { name })} onClick=${onEnd}>
          ${t("ac.end")}
        </button>
      </div>`
    }
  </li>`;
}
