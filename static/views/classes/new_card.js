// @ts-check
/** New card of a learner: asked for in a dialog, shown this once. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { useDeed } from "../common/deed.js";
import { Dialog } from "../common/dialog.js";
import { lazy } from "../common/lazy.js";
import { Problem } from "./confirm_dialog.js";

/** @import { ClassMember, LearnerCard, SchoolClass } from "../../types.d.ts" */

const card = lazy(async () => {
  const [module] = await Promise.all([import("../sign_in/card.js"), loadSheet("styles/card.css")]);
  return CardWith(module);
});

/** @param {{ of: SchoolClass, member: ClassMember, onClose: () => void }} props */
export function NewCardDialog({ of, member, onClose }) {
  const made = useSignal(/** @type {LearnerCard | null} */ (null));
  const deed = useDeed();
  const name = member.displayName;
  const make = () =>
    deed.run(async () => {
      made.value = await classesApi.newCard(of.id, member.userId);
    });
  const title = made.value ? t("cl.card_title", { name }) : t("cl.new_card_title", { name });
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${made.value ? html`<${card.View} card=${made.value} name=${name} className=${of.name} />` : ""}
    ${!made.value && html`<p class="dim">${t("cl.new_card_text", { name })}</p>`}
    <${Problem} words=${deed.problem.value} />
    <div class="row dialog-foot">
      ${
        made.value
          ? html`<button class="btn" type="button" onClick=${onClose}>${t("cl.close")}</button>`
          : html`
            <button class="btn stop" type="button" aria-busy=${deed.busy.value || undefined} onClick=${make}>
              ${t("cl.new_card_go")}
            </button>
            <button class="btn" type="button" onClick=${onClose} autofocus>${t("cl.keep")}</button>
          `
      }
    </div>
  <//>`;
}

/**
 * The card as it is shown, from the module that draws it.
 * @param {typeof import("../sign_in/card.js")} module
 */
function CardWith({ Card, PrintButton }) {
  /** @param {{ card: LearnerCard, name: string, className: string }} props */
  return ({ card: of, name, className }) => html`<div class="cl-card" role="status">
    <${Card} name=${name} className=${className} card=${of} />
    <p class="dim">${t("cl.card_once", { name })}</p>
    <div class="row"><${PrintButton} /></div>
  </div>`;
}
