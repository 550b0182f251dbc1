// @ts-check
/** Formula rendered by KaTeX; its source until KaTeX is loaded, or if it cannot be parsed. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { lazyLibrary } from "./lazy_library.js";
import { LONGEST } from "./tex.js";

/** Limits of a formula: no links, images or attributes, few expansions, bounded sizes. */
const LIMITS = {
  trust: false,
  maxExpand: 200,
  maxSize: 10,
  strict: (/** @type {string} */ code) => (code === "htmlExtension" ? "error" : "ignore"),
  errorColor: "currentColor",
  throwOnError: true,
};

const katex = lazyLibrary(async () => {
  const [library] = await Promise.all([import("../../vendor/katex/katex.mjs"), loadSheet("vendor/katex/katex.css")]);
  return library;
});

/** @param {{ raw: string, tex: string | null, display: boolean }} props `tex` is null while it is being written */
export function Formula({ raw, tex, display }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const library = tex !== null && tex.length <= LONGEST ? katex() : null;
  useLayoutEffect(() => {
    const box = /** @type {HTMLElement} */ (place.current);
    const isSet = library !== null && set(library, tex ?? "", display, box);
    if (!isSet) box.textContent = raw;
    box.classList.toggle("source", !isSet);
    if (display && box.scrollWidth > box.clientWidth)
      box.tabIndex = 0; // scrollable by keyboard
    else box.removeAttribute("tabindex");
  }, [library, raw, tex, display]);
  return html`<span class=${display ? "math display" : "math"} ref=${place}></span>`;
}

/**
 * @param {any} library
 * @param {string} tex
 * @param {boolean} display
 * @param {HTMLElement} box
 * @returns {boolean} whether it could be read
 */
function set(library, tex, display, box) {
  try {
    library.render(tex, box, { ...LIMITS, displayMode: display });
    return true;
  } catch {
    return false; // no formula, one that asks for too much, or one too deep: its source says as much
  }
}
