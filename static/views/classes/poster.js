// @ts-check
/** Join code on paper: the class, the address, and the code so large that a room can read it. */

import { t } from "../../i18n/classes.js";
import { inGroups } from "../../lib/class_code.js";
import { html } from "../../lib/html.js";
import { dayWords } from "./words.js";

/** @import { SchoolClass } from "../../types.d.ts" */

/** Print the poster in place of the page. */
export function printCode() {
  const page = document.documentElement;
  page.dataset.print = "code";
  addEventListener("afterprint", () => delete page.dataset.print, { once: true });
  print();
}

/** Only on paper. @param {{ of: SchoolClass }} props */
export const Poster = ({ of: { name, code } }) =>
  code &&
  html`<section class="cl-poster" aria-hidden="true">
    <p class="cl-poster-name" dir="auto">${name}</p>
    <p>${t("cl.poster_how")}</p>
    <p class="cl-poster-at">${location.host}</p>
    <p class="cl-poster-code" dir="ltr">${inGroups(code.code)}</p>
    <p>${t("cl.poster_end", { day: dayWords(code.expiresAt) })}</p>
  </section>`;
