// @ts-check
/** Dialog that gives one of the teacher's paths to a class, and says how many copies were made. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import * as pathsApi from "../../net/paths_api.js";
import { pathsUrl } from "../../state/router.js";
import { useDeed } from "../common/deed.js";
import { Dialog } from "../common/dialog.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Problem } from "./confirm_dialog.js";
import { copiesWords } from "./given_paths.js";

/** @import { GivenPath, PathSummary } from "../../types.d.ts" */

/** @param {{ classId: string, onGiven: (given: GivenPath) => Promise<void>, onClose: () => void }} props */
export function GiveDialog({ classId, onGiven, onClose }) {
  const loading = useLoaded(pathsApi.paths);
  const done = useSignal(/** @type {GivenPath | null} */ (null));
  const paths = loading.found.value;
  return html`<${Dialog} title=${t("cl.give")} onClose=${onClose}>
    <${LoadingState} of=${loading} words=${t("cl.loading")} />
    ${done.value && html`<${Given} given=${done.value} onClose=${onClose} />`}
    ${!done.value && paths && !paths.length && html`<${NoPaths} onClose=${onClose} />`}
    ${
      !done.value &&
      paths &&
      paths.length > 0 &&
      html`<${GiveForm}
        paths=${paths}
        onClose=${onClose}
        onGive=${async (/** @type {string} */ branchId, /** @type {string | null} */ dueOn) => {
          const given = await classesApi.givePath(classId, branchId, dueOn);
          await onGiven(given);
          done.value = given;
        }}
      />`
    }
  <//>`;
}

/**
 * @param {{
 *   paths: PathSummary[],
 *   onGive: (branchId: string, dueOn: string | null) => Promise<void>,
 *   onClose: () => void,
 * }} props
 */
function GiveForm({ paths, onGive, onClose }) {
  const deed = useDeed();
  const give = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    deed.run(() => onGive(String(given.get("path")), String(given.get("due")) || null));
  };
  return html`<form class="cl-give" onSubmit=${give}>
    <p class="dim">${t("cl.give_says")}</p>
    <div>
      <label class="lbl" for="give-path">${t("cl.give_which")}</label>
      <select class="field" id="give-path" name="path">
        ${paths.map(({ branch }) => html`<option key=${branch.id} value=${branch.id}>${branch.title}</option>`)}
      </select>
    </div>
    <div>
      <label class="lbl" for="give-due">${t("cl.give_due")}</label>
      <input class="field" id="give-due" name="due" type="date" />
    </div>
    <${Problem} words=${deed.problem.value} />
    <p class="t13 dim" role="status">${deed.busy.value ? t("cl.giving") : ""}</p>
    <div class="row dialog-foot">
      <button class="btn" type="button" onClick=${onClose}>${t("cl.not")}</button>
      <button class="btn go" type="submit" aria-busy=${deed.busy.value || undefined}>${t("cl.give_go")}</button>
    </div>
  </form>`;
}

/** @param {{ given: GivenPath, onClose: () => void }} props */
const Given = ({ given, onClose }) => html`
  <div role="status">
    <p>${t("cl.give_done", { title: given.title })}</p>
    <p class="dim">${copiesWords(given)}. ${given.waiting > 0 && t("cl.give_wait")}</p>
  </div>
  <div class="row dialog-foot"><button class="btn" type="button" onClick=${onClose}>${t("cl.close")}</button></div>
`;

/** @param {{ onClose: () => void }} props */
const NoPaths = ({ onClose }) => html`
  <p>${t("cl.give_none")}</p>
  <div class="row dialog-foot">
    <button class="btn" type="button" onClick=${onClose}>${t("cl.close")}</button>
    <a class="btn go" href=${pathsUrl()}>${t("cl.give_to_paths")}</a>
  </div>
`;
