// @ts-check
/** People screen of owners: the accounts of all, a new one, all classes, and the security log. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/people.js";
import { typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as peopleApi from "../../net/people_api.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Shell } from "../common/shell.js";
import { ClassSpendingList } from "./class_spending.js";
import { NewAccount } from "./new_account.js";
import { PersonRow } from "./person_row.js";
import { SecurityLog } from "./security_log.js";

/** @import { Account, Caller, Person } from "../../types.d.ts" */

/** Rows that are shown at once. */
const MOST = 100;

async function fetchPeople() {
  const [people, caller, status] = await Promise.all([peopleApi.people(), api.caller(), api.status()]);
  return { people, caller, logDays: status.securityLogDays };
}

export function PeopleScreen() {
  const loading = useLoaded(fetchPeople);
  useEffect(() => {
    document.title = t("pp.page");
  }, []);
  const found = loading.found.value;
  const change = (/** @type {Account} */ account) => {
    if (found) loading.found.value = { ...found, people: withChange(found.people, account) };
  };
  return html`<${Shell}>
    <div class="wrap pg st ppl">
      <header><h1 class="t24">${t("pp.title")}</h1></header>
      <${LoadingState} of=${loading} words=${t("pp.loading")} />
      ${found && !found.people.length && html`<p class="dim">${t("pp.none")}</p>`}
      ${
        found &&
        found.people.length > 0 &&
        html`
          <${Accounts} people=${found.people} caller=${found.caller} onChange=${change} />
          <${NewAccount} onCreated=${change} />
          <${ClassSpendingList} />
          <${SecurityLog} people=${found.people} days=${found.logDays} />
        `
      }
    </div>
  <//>`;
}

/** The list with an account as it is now; a new one comes last. @param {Person[]} people @param {Account} account */
const withChange = (people, account) =>
  people.some(({ userId }) => userId === account.userId)
    ? people.map((one) => (one.userId === account.userId ? { ...one, ...account } : one))
    : [...people, { ...account, lastSeenAt: null }];

/** Those whose names hold all the words. @param {Person[]} people @param {string} words */
function matching(people, words) {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return people.filter(({ name, displayName }) => {
    const names = `${name} ${displayName}`.toLocaleLowerCase();
    return wanted.every((word) => names.includes(word));
  });
}

/** The user who is the only owner that can sign in. @param {Person[]} people */
function onlyOwner(people) {
  const owners = people.filter(({ role, disabledAt, hasPassword }) => role === "owner" && !disabledAt && hasPassword);
  return owners.length === 1 ? owners[0].userId : null;
}

/** @param {{ people: Person[], caller: Caller, onChange: (account: Account) => void }} props */
function Accounts({ people, caller, onChange }) {
  const words = useSignal("");
  const most = useSignal(MOST);
  const found = matching(people, words.value);
  const more = found.length - most.value;
  const owner = onlyOwner(people);
  return html`<section aria-labelledby="accounts">
    <h2 id="accounts">${t("pp.accounts")}</h2>
    <div class="st-in">
      <div class="ppl-search">
        <label class="lbl" for="search-people">${t("pp.search")}</label>
        <input
          class="field"
          id="search-people"
          type="search"
          autocomplete="off"
          value=${words.value}
          onInput=${typedInto(words)}
        />
        <p class="hint" role="status">${countWords(found.length, people.length, words.value)}</p>
      </div>
      <ul class="ppl-list">
        ${found.slice(0, most.value).map(
          (person) => html`<${PersonRow}
            key=${person.userId}
            person=${person}
            isCaller=${person.userId === caller.userId}
            isOnlyOwner=${person.userId === owner}
            onChange=${onChange}
          />`,
        )}
      </ul>
      ${
        more > 0 &&
        html`<button
          class="btn sm"
          type="button"
          onClick=${() => {
            most.value += MOST;
          }}
        >
          ${t("pp.more", { n: Math.min(more, MOST) })}
        </button>`
      }
    </div>
  </section>`;
}

/** @param {number} n @param {number} all @param {string} words */
function countWords(n, all, words) {
  if (!words.trim()) return t("pp.count", { n: all });
  return n ? t("pp.found", { n, all }) : t("pp.no_match");
}
