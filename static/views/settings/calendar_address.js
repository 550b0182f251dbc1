// @ts-check
/** Calendar of due reviews: a file, and an address to subscribe to, which is private where people sign in. */

import { useSignal } from "@preact/signals";
import { t as account } from "../../i18n/account.js";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as accountApi from "../../net/account_api.js";
import * as api from "../../net/api.js";
import * as reviewsApi from "../../net/reviews_api.js";
import { useDeed } from "../common/deed.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";

const DAYS = 366;

/** @param {string} [token] */
const address = (token) => new URL(reviewsApi.calendarUrl(chosenLanguage(), token), location.href).href;

export function CalendarAddress() {
  const caller = useLoaded(api.caller).found.value;
  return html`<div class="st-field">
    <p class="lbl">${t("rv.set_calendar")}</p>
    <p class="t13 dim">${t("rv.set_calendar_how")}</p>
    <p><a href=${address()} download="sprout-reviews.ics">${t("rv.set_calendar_go")}</a></p>
    ${caller && (caller.account ? html`<${PrivateAddress} />` : html`<code class="st-url">${address()}</code>`)}
  </div>`;
}

/** A calendar program can't sign in: its address holds a token that may read the calendar and nothing else. */
function PrivateAddress() {
  const made = useSignal("");
  const deed = useDeed();
  const create = () =>
    deed.run(async () => {
      const asked = { name: t("rv.set_calendar_token"), scopes: ["calendar"], days: DAYS };
      made.value = address((await accountApi.createToken(asked)).token);
    });
  return html`
    <p><button class="btn sm" type="button" onClick=${create}>${t("rv.set_calendar_create")}</button></p>
    <div role="status">
      ${
        made.value &&
        html`
          <p>${account("ac.token_made")}</p>
          <code class="st-url">${made.value}</code>
          <p class="t13 dim">${t("rv.set_calendar_private")}</p>
        `
      }
    </div>
    ${deed.problem.value && html`<${Fault} message=${deed.problem.value} />`}
  `;
}
