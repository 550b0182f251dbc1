// @ts-check
/** Form to join a class without an account: its code and a nickname. */

import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { ClassCodeField, useClassCode } from "./class_code_field.js";

/** @import { JoinedPupil, OpenClass } from "../../types.d.ts" */

/** @typedef {{ joined: JoinedPupil, into: OpenClass }} Joining */

/** @param {{ code?: string, onJoined: (joining: Joining) => void }} props `code`: that of the address */
export function JoinForm({ code, onJoined }) {
  const typed = useClassCode(code);
  const { busy, problem, run } = useDeed();
  const join = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    run(async () => {
      const into = typed.found.value ?? (await membershipsApi.findClass(typed.code.value));
      const nickname = String(given.get("nickname"));
      onJoined({ joined: await membershipsApi.joinAnew({ code: typed.code.value, nickname }), into });
    });
  };
  return html`<form onSubmit=${join}>
    <div class="si-field"><${ClassCodeField} id="class-code" of=${typed} /></div>
    <div class="si-field">
      <label class="lbl" for="nickname">${t("jn.nickname")}</label>
      <input
        class="field"
        id="nickname"
        name="nickname"
        maxlength="100"
        autocomplete="nickname"
        spellcheck=${false}
        required
        aria-describedby="nickname-how"
      />
      <p class="hint" id="nickname-how">${t("jn.nickname_how")}</p>
    </div>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <button class="btn full" type="submit" aria-busy=${busy.value || undefined}>
      ${t(busy.value ? "jn.going" : "jn.go")}
    </button>
  </form>`;
}
