// @ts-check
/** Frame of the screens on which one signs in: a title above the ground line, and the one-time code of the address. */

import { useEffect } from "preact/hooks";
import { t } from "../../i18n/account.js";
import { html } from "../../lib/html.js";
import { Fault, Shell } from "../common/shell.js";
import { Ground } from "./ground.js";

/** @import { ComponentChildren } from "preact" */

/** The one-time code of the address; it stands behind the `#`, which no server and no log is told. */
export const codeOfAddress = () => location.hash.slice(1);

/** @param {{ code: string, children: ComponentChildren }} props */
export const WithCode = ({ code, children }) => (code ? children : html`<${Fault} message=${t("si.no_code")} />`);

/** @param {{ page: string, title: string, isWide?: boolean, children: ComponentChildren }} props */
export function Frame({ page, title, isWide = false, children }) {
  useEffect(() => {
    document.title = page;
  }, [page]);
  return html`<${OnGround}>
    <div class="wrap">
      <h1 class="ask-title">${title}</h1>
      ${isWide ? children : html`<div class="si-col">${children}</div>`}
    </div>
  <//>`;
}

/** @param {{ children?: ComponentChildren }} props */
export const OnGround = ({ children }) => html`<${Shell} bare>
  <div class="si">${children}<${Ground} /></div>
<//>`;
