// @ts-check
/** Dialog that renames a class. */

import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { useDeed } from "../common/deed.js";
import { Dialog } from "../common/dialog.js";
import { Problem } from "./confirm_dialog.js";

/** @import { SchoolClass } from "../../types.d.ts" */

/** @param {{ of: SchoolClass, onDone: () => Promise<void>, onClose: () => void }} props */
export function RenameDialog({ of, onDone, onClose }) {
  const deed = useDeed();
  const rename = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name")).trim();
    const isDone = await deed.run(async () => {
      await classesApi.changeClass(of.id, { name });
      await onDone();
    });
    if (isDone) onClose();
  };
  return html`<${Dialog} title=${t("cl.rename_it", { name: of.name })} onClose=${onClose}>
    <form onSubmit=${rename}>
      <label class="lbl" for="class-name">${t("cl.name")}</label>
      <input
        class="field"
        id="class-name"
        name="name"
        maxlength="100"
        autocomplete="off"
        required
        autofocus
        value=${of.name}
      />
      <${Problem} words=${deed.problem.value} />
      <div class="row dialog-foot">
        <button class="btn" type="button" onClick=${onClose}>${t("cl.not")}</button>
        <button class="btn go" type="submit" aria-busy=${deed.busy.value || undefined}>${t("cl.save")}</button>
      </div>
    </form>
  <//>`;
}
