// @ts-check
/** Classes that one has joined: joining with a code, and leaving. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { commaJoined, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";
import { useLoaded } from "../common/loaded.js";
import { Fault } from "../common/shell.js";
import { JoinSignedIn } from "../sign_in/join_signed_in.js";

/** @import { JoinedClass } from "../../types.d.ts" */

/** @param {{ hasPassword: boolean }} props */
export function AccountClasses({ hasPassword }) {
  const loading = useLoaded(membershipsApi.joined);
  const leaving = useSignal(/** @type {JoinedClass | null} */ (null));
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const changed = async (/** @type {string} */ words) => {
    says.value = words;
    await loading.load();
  };
  const close = () => {
    leaving.value = null;
  };
  const all = loading.found.value;
  return html`<section aria-labelledby="classes">
    <h2 id="classes" tabindex="-1" ref=${title}>${t("jn.classes")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("jn.classes_says")}</p>
      ${all && !all.length && html`<p class="dim">${t("jn.classes_none")}</p>`}
      <ul class="mems">
        ${all?.map(
          (one) => html`<${Joined}
            key=${one.id}
            of=${one}
            onLeave=${() => {
              leaving.value = one;
            }}
          />`,
        )}
      </ul>
      <${JoinSignedIn} onJoined=${(/** @type {JoinedClass} */ { name }) => changed(t("jn.has_joined", { name }))} />
      ${loading.problem.value && html`<${Fault} message=${loading.problem.value} onRetry=${loading.load} />`}
      <p class="t13 dim" role="status">${says.value}</p>
    </div>
    ${
      leaving.value &&
      html`<${LeaveDialog}
        of=${leaving.value}
        hasPassword=${hasPassword}
        onClose=${close}
        onLeft=${async (/** @type {JoinedClass} */ { name }) => {
          close();
          await changed(t("jn.left", { name }));
          title.current?.focus(); // the button that opened the dialog has gone
        }}
      />`
    }
  </section>`;
}

/** @param {{ of: JoinedClass, onLeave: () => void }} props */
function Joined({ of: { name, teacher, joinedAt, archivedAt }, onLeave }) {
  const facts = [t("jn.joined", { day: day(joinedAt, api.serverNow()) }), archivedAt && t("jn.archived")];
  return html`<li>
    <p dir="auto">${t("jn.class", { name, teacher })} <small>${commaJoined(facts)}</small></p>
    <div class="row">
      <button class="btn sm" type="button" aria-label=${t("jn.leave_it", { name })} onClick=${onLeave}>
        ${t("jn.leave")}
      </button>
    </div>
  </li>`;
}

/**
 * @param {{
 *   of: JoinedClass,
 *   hasPassword: boolean,
 *   onClose: () => void,
 *   onLeft: (of: JoinedClass) => Promise<void>,
 * }} props
 */
function LeaveDialog({ of, hasPassword, onClose, onLeft }) {
  const isBusy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const { name, teacher } = of;
  const leave = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await membershipsApi.leaveClass(of.id);
      await onLeft(of);
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      isBusy.value = false;
    }
  };
  return html`<${Dialog} title=${t("jn.leave_title", { name })} onClose=${onClose}>
    <p>${t("jn.leave_text", { teacher })}</p>
    ${!hasPassword && html`<p>${t("jn.leave_card", { teacher })}</p>`}
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
    <div class="row dialog-foot">
      <button class="btn stop" type="button" aria-busy=${isBusy.value || undefined} onClick=${leave}>
        ${t("jn.leave_go")}
      </button>
      <button class="btn" type="button" onClick=${onClose} autofocus>${t("jn.leave_not")}</button>
    </div>
  <//>`;
}
