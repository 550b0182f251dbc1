// @ts-check
/** Security log: what happened to accounts, newest first, and the way to take it along. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/people.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as peopleApi from "../../net/people_api.js";
import { Icon } from "../common/icons.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";

/** @import { Person, SecurityEvent } from "../../types.d.ts" */
/** @typedef {keyof typeof import("../../i18n/en.people.js").default} Key */

const moment = new Intl.DateTimeFormat(chosenLanguage(), {
  day: "numeric",
  month: "long",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** @param {{ people: Person[], days: number }} props `days`: that events are kept */
export function SecurityLog({ people, days }) {
  const loading = useLoaded(() => peopleApi.securityLog());
  const older = useSignal(/** @type {SecurityEvent[]} */ ([]));
  const isWhole = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const names = new Map(people.map(({ userId, displayName }) => [userId, displayName]));
  const newest = loading.found.value ?? [];
  const events = [...newest, ...older.value.filter(({ id }) => !newest.some((one) => one.id === id))];
  const showOlder = async () => {
    problem.value = null;
    try {
      const found = await peopleApi.securityLog(events[events.length - 1].id);
      older.value = [...events, ...found];
      isWhole.value = found.length < peopleApi.LOG_PAGE;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  return html`<section aria-labelledby="log">
    <h2 id="log">${t("pp.log")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("pp.log_says", { n: days })}</p>
      <a class="btn sm" href=${peopleApi.LOG_CSV_URL} download><${Icon} name="export" small />${t("pp.csv")}</a>
      <${LoadingState} of=${loading} words=${t("pp.log_loading")} />
      ${loading.found.value && !events.length && html`<p class="dim">${t("pp.log_empty")}</p>`}
      <ol class="ppl-log">
        ${events.map((event) => html`<${LogLine} key=${event.id} event=${event} names=${names} />`)}
      </ol>
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${showOlder} />`}
      ${
        newest.length >= peopleApi.LOG_PAGE &&
        !isWhole.value &&
        html`<button class="btn sm" type="button" onClick=${showOlder}>${t("pp.log_older")}</button>`
      }
    </div>
  </section>`;
}

/** @param {{ event: SecurityEvent, names: Map<string, string> }} props */
function LogLine({ event, names }) {
  const { kind, at, userId, name, actorId, address, detail } = event;
  const who = names.get(userId ?? "") ?? name ?? t("pp.log_unknown");
  const actor = actorId !== null && actorId !== userId && (names.get(actorId) ?? t("pp.log_gone"));
  const facts = [
    kind === "role_changed" && detail && t(/** @type {Key} */ (`pp.role.${detail}`)),
    actor && t("pp.log_by", { name: actor }),
    address === "terminal" ? t("pp.log_terminal") : t("pp.log_from", { address }),
  ];
  return html`<li>
    <time datetime=${at}>${moment.format(Date.parse(at))}</time>
    <p dir="auto">
      ${t(/** @type {Key} */ (`pp.log.${kind}`), { name: who })} <small>${commaJoined(facts)}</small>
    </p>
  </li>`;
}
