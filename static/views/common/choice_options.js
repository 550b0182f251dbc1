// @ts-check
/** Options of a choice, selected by pointer, arrow keys or number keys. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";

/**
 * @param {{
 *   name: string,
 *   legend: string,
 *   options: string[],
 *   chosen: string | null,
 *   off: boolean,
 *   onChosen: (option: string) => void,
 * }} props
 */
export function Options({ name, legend, options, chosen, off, onChosen }) {
  const rows = useRef(/** @type {HTMLFieldSetElement | null} */ (null));
  useLayoutEffect(() => {
    // number keys work wherever the focus is
    const key = (/** @type {KeyboardEvent} */ event) => {
      const at = numberOf(event, options.length);
      if (off || at === null) return;
      onChosen(options[at]);
      rows.current?.querySelectorAll("input")[at].focus(); // then Enter answers and the arrow keys work
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [options.join("\n"), off]);
  return html`<fieldset class="opts" disabled=${off} ref=${rows}>
    <legend class="vh">${legend}</legend>
    ${options.map(
      (option, i) => html`<label class="opt" key=${option}>
        <input type="radio" name=${name} checked=${chosen === option} onChange=${() => onChosen(option)} />
        <span class="key">${i + 1}</span>
        <span class="say">${option}</span>
      </label>`,
    )}
  </fieldset>`;
}

/**
 * Index of the option that a number key selects; null in a text field or without such an option.
 * @param {KeyboardEvent} event
 * @param {number} many
 * @returns {number | null}
 */
function numberOf(event, many) {
  if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return null;
  if (event.target instanceof Element && event.target.closest("textarea, input:not([type=radio]), dialog")) return null;
  return Number(event.key) <= many ? Number(event.key) - 1 : null;
}
