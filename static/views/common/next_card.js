// @ts-check
/** Card that leads to the next step over all paths; on a small screen it is docked at the lower edge. */

import { useEffect } from "preact/hooks";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import { useIsWide } from "./media_query.js";
import { DockedStep, stepLabel, stepTitle, stepUrl, useNextStep } from "./next_step.js";
import { Mark } from "./node_state_shapes.js";

/** @import { NextAction } from "../../types.d.ts" */

const SHOWN = ["review", "lesson", "answer", "grow"];

/** @param {{ onShown: (isShown: boolean) => void }} props `onShown`: whether there is something to do next */
export function NextCard({ onShown }) {
  const next = useNextStep({});
  const isWide = useIsWide();
  const isShown = next !== null && SHOWN.includes(next.kind);
  useEffect(() => onShown(isShown), [isShown]);
  if (!next || !isShown) return null;
  return isWide ? html`<${Card} next=${next} />` : html`<${DockedStep} next=${next} />`;
}

/** @param {{ next: NextAction }} props */
function Card({ next }) {
  const state = next.kind === "review" ? "due" : next.why === "started" ? "progress" : "ready";
  const where = commaJoined([next.branch?.title, next.node && next.concept?.title]);
  return html`<section class="next-card" aria-label=${t("next.label")}>
    <${Mark} state=${state} />
    <div>
      <h2 class="t18">${stepTitle(next)}</h2>
      <p class="dim">${next.kind === "review" ? t("next.why.due") : where}</p>
    </div>
    <a class="btn go" href=${stepUrl(next)}>
      ${stepLabel(next)}
      <span class="vh"> ${stepTitle(next)}</span>
    </a>
  </section>`;
}
