// @ts-check
/** Paths that a class was given: their copies, their date, and taking them back. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { pathUrl } from "../../state/router.js";
import { ConfirmDialog } from "./confirm_dialog.js";
import { dayWords } from "./words.js";

/** @import { GivenPath } from "../../types.d.ts" */

/** How far its copies are, in words. @param {GivenPath} given */
export const copiesWords = ({ copies, waiting }) =>
  commaJoined([t("cl.copies", { n: copies }), waiting > 0 && t("cl.waiting", { n: waiting })]);

/** @param {{ classId: string, given: GivenPath[], onChange: () => Promise<void> }} props */
export function GivenPaths({ classId, given, onChange }) {
  const doomed = useSignal(/** @type {GivenPath | null} */ (null));
  const close = () => {
    doomed.value = null;
  };
  return html`<section aria-labelledby="given-paths">
    <h2 id="given-paths">${t("cl.given")}</h2>
    ${!given.length && html`<p class="dim">${t("cl.given_none")}</p>`}
    <ul class="cl-given">
      ${given.map(
        (path) => html`<li key=${path.id}>
          <a href=${pathUrl(path.branchId)} dir="auto">${path.title}</a>
          <span class="t13 dim">
            ${commaJoined([copiesWords(path), path.dueOn && t("cl.due_on", { day: dayWords(path.dueOn) })])}
          </span>
          <button
            class="btn sm flat"
            type="button"
            aria-label=${t("cl.withdraw_it", { title: path.title })}
            onClick=${() => {
              doomed.value = path;
            }}
          >
            ${t("cl.withdraw")}
          </button>
        </li>`,
      )}
    </ul>
    ${
      doomed.value &&
      html`<${ConfirmDialog}
        title=${t("cl.withdraw_title", { title: doomed.value.title })}
        text=${t("cl.withdraw_text")}
        go=${t("cl.withdraw_go")}
        keep=${t("cl.keep")}
        onClose=${close}
        onGo=${async () => {
          await classesApi.withdrawPath(classId, doomed.value?.id ?? "");
          await onChange();
        }}
      />`
    }
  </section>`;
}
