// @ts-check
/** Switch for the notice of due reviews. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/review.js";
import { html } from "../../lib/html.js";
import { canNotify, isNoticeWanted, refuseNotice, wantNotice } from "../../state/due_notice.js";
import { Icon } from "../common/icons.js";

export function DueNotice() {
  const isOn = useSignal(isNoticeWanted());
  const isBlocked = useSignal(false);
  if (!canNotify()) return null;
  const change = async () => {
    if (isOn.value) {
      refuseNotice();
      isOn.value = false;
      return;
    }
    isOn.value = await wantNotice();
    isBlocked.value = !isOn.value;
  };
  return html`<div class="st-field">
    <label class="st-check">
      <input type="checkbox" checked=${isOn.value} onChange=${change} />
      <span>${t("rv.set_notice")}</span>
    </label>
    <p class="t13 dim">${t("rv.set_notice_how")}</p>
    ${
      isBlocked.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${t("rv.set_notice_blocked")}</span></p>`
    }
  </div>`;
}
