// @ts-check
/** Modal dialog. On close the focus returns to where it was, else to the content. */

import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";

await loadSheet("styles/dialog.css");

/**
 * The page closes it before the browser does, so that a key pressed once the focus is back can open it again.
 * @param {{
 *   title: string,
 *   hideTitle?: boolean,
 *   kind?: string,
 *   onClose: () => void,
 *   children: import("preact").ComponentChildren,
 * }} props
 */
export function Dialog({ title, hideTitle, kind = "", onClose, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useLayoutEffect(() => {
    const dialog = box.current;
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is taken off the page does not return the focus itself.
      (before?.isConnected ? before : document.getElementById("main"))?.focus({ preventScroll: true });
    };
  }, []);
  const close = (/** @type {Event} */ event) => {
    if (event.target !== box.current) return; // one that is off the page has no box
    event.preventDefault();
    onClose();
  };
  return html`<dialog
    class="dialog ${kind}"
    ref=${box}
    aria-labelledby=${id}
    onCancel=${close}
    onClose=${close}
    onClick=${close}
  >
    <div class="dialog-in"><h2 class=${hideTitle ? "vh" : "t18"} id=${id}>${title}</h2>${children}</div>
  </dialog>`;
}
