// @ts-check
/** Options of a choice by letter, as the tutor names them; selected by pointer, arrow keys, or keys of a letter or number. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";

const LETTERS = "ABCDEFGH";

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
    // keys work wherever the focus is
    const key = (/** @type {KeyboardEvent} */ event) => {
      const at = indexOf(event, options.length);
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
        <span class="key">${LETTERS[i] ?? i + 1}</span>
        <span class="say">${option}</span>
      </label>`,
    )}
  </fieldset>`;
}

/**
 * Index of the option that a key selects; null in a text field or without such an option.
 * @param {KeyboardEvent} event
 * @param {number} many
 * @returns {number | null}
 */
function indexOf(event, many) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return null;
  if (event.target instanceof Element && event.target.closest("textarea, input:not([type=radio]), dialog")) return null;
  const at = /[1-9]/.test(event.key) ? Number(event.key) - 1 : LETTERS.indexOf(event.key.toUpperCase());
  return at >= 0 && at < many ? at : null;
}
