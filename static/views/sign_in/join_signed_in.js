// @ts-check
/** Form with which one who is signed in joins a class. */

import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { ClassCodeField, useClassCode } from "./class_code_field.js";

/** @import { JoinedClass } from "../../types.d.ts" */

/** @param {{ code?: string, onJoined: (into: JoinedClass) => void }} props `code`: that of the address */
export function JoinSignedIn({ code, onJoined }) {
  const typed = useClassCode(code);
  const { busy, problem, run } = useDeed();
  const join = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    run(async () => {
      onJoined(await membershipsApi.joinClass(typed.code.value));
      typed.code.value = "";
    });
  };
  return html`<form class="st-join" onSubmit=${join}>
    <div class="si-field"><${ClassCodeField} id="class-code" of=${typed} /></div>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <button class="btn" type="submit" aria-busy=${busy.value || undefined}>
      ${t(busy.value ? "jn.going" : "jn.go")}
    </button>
  </form>`;
}
