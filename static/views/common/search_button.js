// @ts-check
/** Search button of the bar, with the slash key as its shortcut. */

import { useEffect } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { Icon } from "./icons.js";
import { lazy } from "./lazy.js";

const search = lazy(async () => (await import("./search.js")).Search);
/** Load the dialog before it is needed. */
export const prefetchSearch = search.prefetch;
export const SearchDialog = search.View;

/** @param {{ searching: import("@preact/signals").Signal<boolean> }} props */
export function SearchButton({ searching }) {
  useEffect(() => {
    const slash = (/** @type {KeyboardEvent} */ event) => {
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        /** @type {Element} */ (event.target).closest("input, textarea, dialog")
      )
        return;
      event.preventDefault();
      searching.value = true;
    };
    addEventListener("keydown", slash);
    return () => removeEventListener("keydown", slash);
  }, []);
  return html`<button
    class="btn flat icon"
    type="button"
    aria-label=${t("search.open")}
    title=${t("search.hint")}
    onClick=${() => {
      searching.value = true;
    }}
  >
    <${Icon} name="search" />
  </button>`;
}
