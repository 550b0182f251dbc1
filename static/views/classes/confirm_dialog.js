// @ts-check
/** Dialog before something that cannot be undone. */

import { html } from "../../lib/html.js";
import { useDeed } from "../common/deed.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";

/**
 * @param {{
 *   title: string,
 *   text: string,
 *   go: string,
 *   keep: string,
 *   onGo: () => Promise<unknown>,
 *   onClose: () => void,
 * }} props `onGo` throws an ApiError whose message is shown; once it is done the dialog closes
 */
export function ConfirmDialog({ title, text, go, keep, onGo, onClose }) {
  const deed = useDeed();
  const act = async () => {
    if (await deed.run(onGo)) onClose();
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <p class="dim">${text}</p>
    <${Problem} words=${deed.problem.value} />
    <div class="row dialog-foot">
      <button class="btn stop" type="button" aria-busy=${deed.busy.value || undefined} onClick=${act}>${go}</button>
      <button class="btn" type="button" onClick=${onClose} autofocus>${keep}</button>
    </div>
  <//>`;
}

/** What the server says against it, below a form. @param {{ words: string | null }} props */
export const Problem = ({ words }) =>
  words && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${words}</span></p>`;
