// @ts-check
/** Card on the home that leads to the next lesson. */

import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import { nextLabel, nextUrl, useNextLesson } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";

export function NextCard() {
  const next = useNextLesson({});
  if (!next) return null;
  const isBegun = next.why === "started";
  return html`<section class="today" aria-label=${t("next.label")}>
    <${Mark} state=${isBegun ? "progress" : "ready"} />
    <div>
      <h2 class="t18">${next.node.title}</h2>
      <p class="dim">${commaJoined([next.branch?.title, next.concept?.title])}</p>
    </div>
    <a class="btn go" href=${nextUrl(next)}>
      ${nextLabel(next)}
      <span class="vh"> ${next.node.title}</span>
    </a>
  </section>`;
}
