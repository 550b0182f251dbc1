// @ts-check
/** A modal dialog: the browser keeps the focus inside and gives it back afterwards. */

import { useEffect, useId, useRef } from "preact/hooks";
import { html } from "../html.js";

/** @param {{ title: string, hideTitle?: boolean, kind?: string, onClose: () => void, children: import("preact").ComponentChildren }} props */
export function Dialog({ title, hideTitle, kind = "", onClose, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const outside = (/** @type {MouseEvent} */ event) => { if (event.target === box.current) onClose(); };
  return html`<dialog class="dialog ${kind}" ref=${box} aria-labelledby=${id} onClose=${onClose} onClick=${outside}>
    <div class="dialog-in"><h2 class=${hideTitle ? "vh" : "t18"} id=${id}>${title}</h2>${children}</div>
  </dialog>`;
}
