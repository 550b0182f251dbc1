// @ts-check
/** New card of a learner: asked for in a dialog, shown this once. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { Dialog } from "../common/dialog.js";
import { Problem } from "./confirm_dialog.js";
import { useDeed } from "./deed.js";

/** @import { ClassMember, LearnerCard } from "../../types.d.ts" */

/** @param {{ classId: string, member: ClassMember, onClose: () => void }} props */
export function NewCardDialog({ classId, member, onClose }) {
  const card = useSignal(/** @type {LearnerCard | null} */ (null));
  const deed = useDeed();
  const name = member.displayName;
  const make = () =>
    deed.run(async () => {
      card.value = await classesApi.newCard(classId, member.userId);
    });
  const title = card.value ? t("cl.card_title", { name }) : t("cl.new_card_title", { name });
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${card.value ? html`<${CardWords} card=${card.value} name=${name} />` : ""}
    ${!card.value && html`<p class="dim">${t("cl.new_card_text", { name })}</p>`}
    <${Problem} words=${deed.problem.value} />
    <div class="row dialog-foot">
      ${
        card.value
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

/** The card as it is shown: the one place that draws it. @param {{ card: LearnerCard, name: string }} props */
const CardWords = ({ card, name }) => html`<div role="status">
  <p class="cl-card">${card.words}</p>
  <p class="dim">${t("cl.card_once", { name })}</p>
</div>`;
