// @ts-check
/** A modal dialog: the browser keeps the focus inside; it goes back to where it was, or to the content where that is gone. */

import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

/** @param {{ title: string, hideTitle?: boolean, kind?: string, onClose: () => void, children: import("preact").ComponentChildren }} props */
export function Dialog({ title, hideTitle, kind = "", onClose, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useLayoutEffect(() => {
    const dialog = box.current;
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog?.showModal();
    return () => {
      dialog?.close();
      (before?.isConnected ? before : document.getElementById("main"))?.focus({ preventScroll: true }); // taken off the page, it gives nothing back itself
    };
  }, []);
  const outside = (/** @type {MouseEvent} */ event) => { if (event.target === box.current) onClose(); };
  return html`<dialog class="dialog ${kind}" ref=${box} aria-labelledby=${id} onClose=${onClose} onClick=${outside}>
    <div class="dialog-in"><h2 class=${hideTitle ? "vh" : "t18"} id=${id}>${title}</h2>${children}</div>
  </dialog>`;
}
