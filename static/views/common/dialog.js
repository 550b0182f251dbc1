// @ts-check
/** Modal dialog. On close the focus returns to where it was, else to the content. */

import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../../lib/html.js";

/**
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
  const outside = (/** @type {MouseEvent} */ event) => {
    if (event.target === box.current) onClose();
  };
  return html`<dialog class="dialog ${kind}" ref=${box} aria-labelledby=${id} onClose=${onClose} onClick=${outside}>
    <div class="dialog-in"><h2 class=${hideTitle ? "vh" : "t18"} id=${id}>${title}</h2>${children}</div>
  </dialog>`;
}
