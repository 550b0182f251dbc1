// @ts-check
/** Concerns about learners of a class: who and when, never the words, and what to do. */

import { t } from "../../i18n/desk.js";
import { day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as deskApi from "../../net/desk_api.js";
import { Icon } from "../common/icons.js";
import { useLoaded } from "../common/loaded.js";

/** @param {{ classId: string }} props */
export function ConcernsNotice({ classId }) {
  const { found, problem, load } = useLoaded(() => deskApi.concerns(classId));
  const unseen = found.value?.concerns.filter(({ seenAt }) => !seenAt) ?? [];
  if (!unseen.length) return null;
  /** @param {string} id */
  const markSeen = async (id) => {
    try {
      await deskApi.markConcernSeen(classId, id);
      await load();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  return html`<section class="cn" aria-labelledby="concerns">
    <h2 id="concerns"><${Icon} name="info" small />${t("cn.title", { n: unseen.length })}</h2>
    <ul>
      ${unseen.map(
        ({ id, displayName, at }) => html`<li key=${id} class="row">
          <span dir="auto">${t("cn.sign", { name: displayName })}</span>
          <time class="t13 dim" datetime=${at}>${day(at, api.serverNow())}</time>
          <button class="btn sm sp" type="button" onClick=${() => markSeen(id)}>${t("cn.seen")}</button>
        </li>`,
      )}
    </ul>
    <details>
      <summary>${t("cn.do")}</summary>
      <p>${t("cn.text")}</p>
      ${
        found.value?.careText &&
        html`<p class="t13 dim"><b>${t("cn.care")}:</b> <span dir="auto">${found.value.careText}</span></p>`
      }
    </details>
    ${problem.value && html`<p class="err" role="alert">${problem.value}</p>`}
  </section>`;
}
