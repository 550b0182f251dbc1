// @ts-check
/** The way into search: a button of the bar, and the slash key. */

import { useEffect } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Icon } from "./icons.js";
import { lazily } from "./lazily.js";

const search = lazily(async () => (await import("./search.js")).Search);
/** Fetch it before the network may be away. */
export const fetchSearch = search.ahead;
export const SearchDialog = search.View;

/** @param {{ searching: import("@preact/signals").Signal<boolean> }} props */
export function Magnifier({ searching }) {
  useEffect(() => {
    const slash = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /** @type {Element} */ (event.target).closest("input, textarea, dialog")) return;
      event.preventDefault();
      searching.value = true;
    };
    addEventListener("keydown", slash);
    return () => removeEventListener("keydown", slash);
  }, []);
  return html`<button class="btn flat icon" type="button" aria-label=${t("search.open")} title=${t("search.hint")} onClick=${() => { searching.value = true; }}><${Icon} name="search" /></button>`;
}
