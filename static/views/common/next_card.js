// @ts-check
/** Card that leads to the next step over all paths; on a small screen it is docked at the lower edge. */

import { useEffect } from "preact/hooks";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import { useIsWide } from "./media_query.js";
import { DockedStep, stepLabel, stepTitle, stepUrl, useNextStep } from "./next_step.js";
import { Mark } from "./node_state_shapes.js";
import { Loading } from "./shell.js";

/** @import { NextAction } from "../../types.d.ts" */

const SHOWN = ["review", "lesson", "answer", "grow"];

/** @param {{ onShown: (isShown: boolean) => void }} props `onShown`: whether there is something to do next */
export function NextCard({ onShown }) {
  const next = useNextStep({});
  const isWide = useIsWide();
  const isShown = next !== null && SHOWN.includes(next.kind);
  useEffect(() => {
    if (next) onShown(isShown);
  }, [next, isShown]);
  if (next && !isShown) return null;
  const why = next?.kind === "review" ? t("next.why.due") : next && placeOf(next);
  if (!isWide) return html`<${DockedStep} next=${next} why=${why ?? ""} />`;
  return next ? html`<${Card} next=${next} why=${why ?? ""} />` : html`<${CardLoading} />`;
}

/** Where the step is. @param {NextAction} next */
const placeOf = (next) => commaJoined([next.branch?.title, next.node && next.concept?.title]);

const CardLoading = () => html`<div class="next-card">
  <${Loading} words=${t("next.loading")} isWrapped=${false} />
</div>`;

/** @param {{ next: NextAction, why: string }} props */
function Card({ next, why }) {
  const state = next.kind === "review" ? "due" : next.why === "started" ? "progress" : "ready";
  return html`<section class="next-card" aria-label=${t("next.label")}>
    <${Mark} state=${state} />
    <div>
      <h2 class="t18">${stepTitle(next)}</h2>
      <p class="dim">${why}</p>
    </div>
    <a class="btn go" href=${stepUrl(next)}>
      ${stepLabel(next)}
      <span class="vh"> ${stepTitle(next)}</span>
    </a>
  </section>`;
}
