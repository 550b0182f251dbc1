// @ts-check
/** Title of a row that opens to what stands behind it. */

import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";

/** @param {{ title: string, open: import("@preact/signals").Signal<boolean>, id: string }} props `id`: of what opens */
export const SpotTitle = ({ title, open, id }) => html`<button
  class="spot-t"
  type="button"
  aria-expanded=${open.value}
  aria-controls=${open.value ? id : undefined}
  onClick=${() => {
    open.value = !open.value;
  }}
>
  ${title}
  <${Icon} name="down" small />
</button>`;
