// @ts-check
/** Links between a footnote and the places that refer to it, within one text. */

import { t } from "../../i18n/notes.js";
import { html } from "../../lib/html.js";

/**
 * Move the focus to another place of the text that a link stands in.
 * @param {MouseEvent} event
 * @param {string} place attribute of that place
 * @param {string} label its value
 */
function follow(event, place, label) {
  event.preventDefault(); // the address of the page is that of a screen
  const text = /** @type {Element} */ (event.currentTarget).closest(".with-notes");
  const found = [...(text?.querySelectorAll(`[${place}]`) ?? [])].find((each) => each.getAttribute(place) === label);
  /** @type {HTMLElement | undefined} */ (found)?.focus();
}

/** @param {{ label: string }} props */
export const NoteReference = ({ label }) => html`<sup>
  <a
    href="#note"
    role="doc-noteref"
    data-reference=${label}
    aria-label=${t("rich.note", { label })}
    onClick=${(/** @type {MouseEvent} */ event) => follow(event, "data-note", label)}
    >${label}</a
  >
</sup>`;

/** @param {{ label: string }} props */
export const BackLink = ({ label }) => html`<a
  href="#text"
  role="doc-backlink"
  aria-label=${t("rich.note_back", { label })}
  onClick=${(/** @type {MouseEvent} */ event) => follow(event, "data-reference", label)}
  >↩</a
>`;
