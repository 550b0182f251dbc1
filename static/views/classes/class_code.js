// @ts-check
/** Join code of a class: shown, copied, printed, ended, and made anew. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { inGroups } from "../../lib/class_code.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { Problem } from "./confirm_dialog.js";
import { dayWords } from "./words.js";
import { printCode } from "./poster.js";

/** @import { ClassCode, SchoolClass } from "../../types.d.ts" */

const DAYS = 14;
const MOST_DAYS = 366;
const PLACES = 40;
const MOST_PLACES = 1000;
const COPIED_MS = 2000;

/** @param {{ of: SchoolClass, onChange: () => Promise<void> }} props */
export function JoinCode({ of, onChange }) {
  const deed = useDeed();
  const says = useSignal("");
  const isAsking = useSignal(false);
  const { code } = of;
  const end = () =>
    deed.run(async () => {
      await classesApi.revokeCode(of.id);
      says.value = t("cl.ended");
      await onChange();
    });
  const create = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    deed.run(async () => {
      await classesApi.issueCode(of.id, { days: Number(given.get("days")), uses: Number(given.get("uses")) });
      await onChange();
      isAsking.value = false;
    });
  };
  return html`<section aria-labelledby="class-code">
    <h2 id="class-code">${t("cl.code")}</h2>
    <div class="cl-join">
      ${code ? html`<${CodeWords} code=${code} />` : html`<p class="t13 dim">${t("cl.code_none")}</p>`}
      ${
        code &&
        html`<div class="row">
          <${CopyButton} text=${code.code} />
          <button class="btn sm" type="button" onClick=${printCode}>
            <${Icon} name="print" small />${t("cl.print")}
          </button>
          <button class="btn sm flat" type="button" aria-busy=${deed.busy.value || undefined} onClick=${end}>
            ${t("cl.end")}
          </button>
        </div>`
      }
      ${!code && !isAsking.value && html`<${AskButton} isAsking=${isAsking} />`}
      ${!code && isAsking.value && html`<${CodeForm} busy=${deed.busy.value} onSubmit=${create} />`}
      <${Problem} words=${deed.problem.value} />
      <p class="vh" role="status">${says.value}</p>
    </div>
  </section>`;
}

/** @param {{ code: ClassCode }} props */
const CodeWords = ({ code }) => html`
  <p class="cl-code" dir="ltr">${inGroups(code.code)}</p>
  <p class="t13 dim">${t("cl.code_left", { n: code.usesLeft, day: dayWords(code.expiresAt) })}</p>
`;

/** @param {{ isAsking: { value: boolean } }} props */
const AskButton = ({ isAsking }) => html`<div class="row">
  <button
    class="btn sm"
    type="button"
    onClick=${() => {
      isAsking.value = true;
    }}
  >
    ${t("cl.code_create")}
  </button>
</div>`;

/** @param {{ busy: boolean, onSubmit: (event: SubmitEvent) => void }} props */
const CodeForm = ({ busy, onSubmit }) => html`<form class="cl-code-form" onSubmit=${onSubmit}>
  <div>
    <label class="lbl" for="code-days">${t("cl.code_days")}</label>
    <input class="field" id="code-days" name="days" type="number" min="1" max=${MOST_DAYS} value=${DAYS} required />
  </div>
  <div>
    <label class="lbl" for="code-uses">${t("cl.code_uses")}</label>
    <input class="field" id="code-uses" name="uses" type="number" min="1" max=${MOST_PLACES} value=${PLACES} required />
  </div>
  <button class="btn" type="submit" aria-busy=${busy || undefined}>${t("cl.code_create")}</button>
</form>`;

/** Shown only if the clipboard is available: over HTTPS or on localhost. @param {{ text: string }} props */
function CopyButton({ text }) {
  const isDone = useSignal(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return; // not allowed: the code can still be selected
    }
    isDone.value = true;
    setTimeout(() => {
      isDone.value = false;
    }, COPIED_MS);
  };
  return html`<button class="btn sm" type="button" onClick=${copy}>
      <${Icon} name=${isDone.value ? "check" : "copy"} small />${t("cl.copy")}
    </button>
    <span class="vh" role="status">${isDone.value ? t("cl.copied") : ""}</span>`;
}
