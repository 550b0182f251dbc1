// @ts-check
/** Learners of a class: since when, a new card, and removing them. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { ConfirmDialog } from "./confirm_dialog.js";
import { dayWords } from "./words.js";
import { NewCardDialog } from "./new_card.js";

/** @import { ClassMember, SchoolClass } from "../../types.d.ts" */

/**
 * @param {{ of: SchoolClass, members: ClassMember[], isOpen: boolean, onChange: () => Promise<void> }} props `isOpen`:
 *   whether the list shows at first
 */
export function Members({ of, members, isOpen, onChange }) {
  const doomed = useSignal(/** @type {ClassMember | null} */ (null));
  const carded = useSignal(/** @type {ClassMember | null} */ (null));
  return html`<details class="cl-members" open=${isOpen}>
    <summary><h2>${t("cl.members")}</h2></summary>
    <ul>
      ${members.map(
        (member) => html`<${Member}
          key=${member.userId}
          member=${member}
          onCard=${() => {
            carded.value = member;
          }}
          onRemove=${() => {
            doomed.value = member;
          }}
        />`,
      )}
    </ul>
    ${
      carded.value &&
      html`<${NewCardDialog}
        of=${of}
        member=${carded.value}
        onClose=${() => {
          carded.value = null;
        }}
      />`
    }
    ${
      doomed.value &&
      html`<${ConfirmDialog}
        title=${t("cl.remove_title", { name: doomed.value.displayName })}
        text=${t("cl.remove_text", { name: doomed.value.displayName })}
        go=${t("cl.remove_go")}
        keep=${t("cl.keep")}
        onClose=${() => {
          doomed.value = null;
        }}
        onGo=${async () => {
          await classesApi.removeMember(of.id, doomed.value?.userId ?? "");
          await onChange();
        }}
      />`
    }
  </details>`;
}

/** @param {{ member: ClassMember, onCard: () => void, onRemove: () => void }} props */
const Member = ({ member: { displayName: name, joinedAt, hasCard }, onCard, onRemove }) => html`<li>
  <p><b dir="auto">${name}</b> <small class="dim">${t("cl.joined", { day: dayWords(joinedAt) })}</small></p>
  <div class="row">
    ${
      hasCard &&
      html`<button class="btn sm" type="button" aria-label=${t("cl.new_card_for", { name })} onClick=${onCard}>
        ${t("cl.new_card")}
      </button>`
    }
    <button class="btn sm flat" type="button" aria-label=${t("cl.remove_it", { name })} onClick=${onRemove}>
      ${t("cl.remove")}
    </button>
  </div>
</li>`;
