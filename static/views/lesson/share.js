// @ts-check
/** Sharing of a lesson: its learner lets the teacher of one class read it, and can take that back. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/desk.js";
import { html } from "../../lib/html.js";
import * as deskApi from "../../net/desk_api.js";
import { useLoaded } from "../common/loaded.js";

/** @param {{ sessionId: string }} props */
export function ShareLesson({ sessionId }) {
  const { found, load } = useLoaded(() => Promise.all([deskApi.joinedClasses(), deskApi.shareOf(sessionId)]));
  const refusal = useSignal(/** @type {string | null} */ (null));
  const [classes, share] = found.value ?? [[], null];
  const open = classes.filter(({ archivedAt }) => !archivedAt);
  if (!share && !open.length) return null;
  /** @param {() => Promise<unknown>} change */
  const attempt = async (change) => {
    try {
      await change();
      refusal.value = null;
      await load();
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
    }
  };
  return html`<div class="share t13">
    ${
      share
        ? html`<p role="status">
            <span dir="auto">${t("sh.shared", { teacher: share.teacher, name: share.className })}</span>${" "}
            <button class="link" type="button" onClick=${() => attempt(() => deskApi.stopSharing(sessionId))}>
              ${t("sh.stop")}
            </button>
          </p>`
        : html`<details>
            <summary>${t("sh.share")}</summary>
            <p class="dim">${t("sh.explain")}</p>
            ${open.map(
              ({ id, name, teacher }) => html`<p key=${id}>
                <button class="btn sm" type="button" onClick=${() => attempt(() => deskApi.shareWith(sessionId, id))}>
                  ${t("sh.share_with", { teacher, name })}
                </button>
              </p>`,
            )}
          </details>`
    }
    ${refusal.value && html`<p class="err" role="alert">${refusal.value}</p>`}
  </div>`;
}
