// @ts-check
/** The options of a choice: numbered rows, by pointer, by arrow keys or by their number. */

import { html } from "../html.js";

/** @param {{ name: string, legend: string, options: string[], chosen: import("@preact/signals").Signal<string | null>, off: boolean }} props */
export const Options = ({ name, legend, options, chosen, off }) => html`<fieldset class="opts" disabled=${off}><legend class="vh">${legend}</legend>
  ${options.map((option, i) => html`<label class="opt" key=${option}><input type="radio" name=${name} checked=${chosen.value === option} onChange=${() => { chosen.value = option; }} /><span class="key">${i + 1}</span><span class="say">${option}</span></label>`)}
</fieldset>`;

/** The option whose number was pressed, unless somebody is writing. @param {KeyboardEvent} event @param {string[]} options @returns {string | null} */
export function chosenKey(event, options) {
  if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return null;
  if (/** @type {Element} */ (event.target).closest("textarea, input:not([type=radio]), dialog")) return null;
  return options[Number(event.key) - 1] ?? null;
}
