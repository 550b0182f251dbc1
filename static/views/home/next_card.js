// @ts-check
/** Card on the home that leads to the next step. */

import { useEffect } from "preact/hooks";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/next.js";
import { stepLabel, stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";

const SHOWN = ["review", "lesson", "answer"];

/** @param {{ onShown: (isShown: boolean) => void }} props `onShown`: whether there is something to do next */
export function NextCard({ onShown }) {
  const next = useNextStep({});
  const isShown = next !== null && SHOWN.includes(next.kind);
  useEffect(() => onShown(isShown), [isShown]);
  if (!next || !isShown) return null;
  const state = next.kind === "review" ? "due" : next.why === "started" ? "progress" : "ready";
  return html`<section class="today" aria-label=${t("next.label")}>
    <${Mark} state=${state} />
    <div>
      <h2 class="t18">${stepTitle(next)}</h2>
      <p class="dim">
        ${next.kind === "review" ? t("next.why.due") : commaJoined([next.branch?.title, next.concept?.title])}
      </p>
    </div>
    <a class="btn go" href=${stepUrl(next)}>
      ${stepLabel(next)}
      <span class="vh"> ${stepTitle(next)}</span>
    </a>
  </section>`;
}
