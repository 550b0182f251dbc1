// @ts-check
/** Field for a class code; once the code is whole, its class and teacher stand below. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { LENGTH, caretAfter, codeOf, inGroups } from "../../lib/class_code.js";
import { html } from "../../lib/html.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { Icon } from "../common/icons.js";

/** @import { Signal } from "@preact/signals" */
/** @import { OpenClass } from "../../types.d.ts" */
/** @typedef {{ code: Signal<string>, found: Signal<OpenClass | null>, problem: Signal<string | null> }} ClassCode */

/** A class code that is being typed, and what the server says of it. @param {string} [given] @returns {ClassCode} */
export function useClassCode(given = "") {
  const code = useSignal(codeOf(given));
  const found = useSignal(/** @type {OpenClass | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  useEffect(() => {
    found.value = null;
    problem.value = null;
    if (code.value.length < LENGTH) return;
    let left = false;
    membershipsApi.findClass(code.value).then(
      (open) => {
        if (!left) found.value = open;
      },
      (error) => {
        if (!left) problem.value = error.message;
      },
    );
    return () => {
      left = true;
    };
  }, [code.value]);
  return { code, found, problem };
}

/** @param {{ id: string, of: ClassCode }} props */
export function ClassCodeField({ id, of: { code, found, problem } }) {
  const typed = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    const before = codeOf(field.value.slice(0, field.selectionStart ?? field.value.length)).length;
    code.value = codeOf(field.value);
    field.value = inGroups(code.value);
    field.setSelectionRange(caretAfter(before), caretAfter(before));
  };
  return html`
    <label class="lbl" for=${id}>${t("jn.code")}</label>
    <input
      class="field si-code"
      id=${id}
      name=${id}
      value=${inGroups(code.value)}
      autocomplete="off"
      autocapitalize="characters"
      spellcheck=${false}
      required
      aria-invalid=${problem.value !== null || undefined}
      aria-describedby="${id}-how"
      onInput=${typed}
    />
    <div id="${id}-how" role="status">
      <${Standing} code=${code.value} found=${found.value} problem=${problem.value} />
    </div>
  `;
}

/** @param {{ code: string, found: OpenClass | null, problem: string | null }} props */
function Standing({ code, found, problem }) {
  if (problem) return html`<p class="err"><${Icon} name="warn" small /><span>${problem}</span></p>`;
  if (found) return html`<p class="hint si-class" dir="auto">${t("jn.class", { ...found })}</p>`;
  return html`<p class="hint">${t(code.length === LENGTH ? "jn.looking" : "jn.code_how")}</p>`;
}
