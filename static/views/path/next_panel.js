// @ts-check
/** Panel beside the map: the next lesson and the newest changes, or the run while it asks for attention. */

import { useSignal } from "@preact/signals";
import { clock, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { t } from "../../i18n/next.js";
import { earlyEnding } from "../../lib/run_ending.js";
import {
  DockedStep,
  lessonOf,
  NextReason,
  nextPlace,
  ReviewLine,
  stepLabel,
  stepTitle,
  stepUrl,
  useNextStep,
} from "../common/next_step.js";
import { lazy } from "../common/lazy.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { NextAction, Run } from "../../types.d.ts" */

const findStart = lazy(async () => (await import("../placement/find_start.js")).FindStart);
const activity = lazy(async () => (await import("../run/activity_panel.js")).ActivityPanel);

/** Whether the run has come to its end and asks nothing of anybody. @param {Run | null} run */
const isSettled = (run) => !run || (run.state === "completed" && !run.cutOff && !earlyEnding(run));

/** @param {{ path: OpenPath, children?: any }} props `children`: changes of the path */
export function NextPanel({ path, children }) {
  const showsRun = useSignal(false);
  const run = path.run.value;
  const next = useNextStep({ branchId: path.branchId }, run?.state);
  const isNext = isSettled(run) && !path.isBare() && path.playhead.value === null && !showsRun.value;
  const toggle = () => {
    showsRun.value = !showsRun.value;
  };
  if (!isNext)
    return html`<${activity.View} path=${path} onClose=${isSettled(run) && !path.isBare() ? toggle : null}>
      ${children}
    <//>`;
  return html`<aside class="act next-panel" aria-label=${t("next.label")}>
    <div class="first-step">
      <p class="eyebrow">${t("next.label")}</p>
      ${next ? html`<${Step} next=${next} />` : html`<p class="dim">${t("next.loading")}</p>`}
    </div>
    <${findStart.View} path=${path} />
    ${children}
    ${run && html`<${RunLine} path=${path} onShow=${toggle} />`}
  </aside>`;
}

/** @param {{ next: NextAction }} props */
function Step({ next }) {
  const lesson = lessonOf(next);
  return html`
    <h2>${stepTitle(next)}</h2>
    ${lesson && html`<p class="dim">${nextPlace(lesson)}</p>`}
    <${NextReason} next=${next} />
    <a class="btn go" href=${stepUrl(next)}>${stepLabel(next)}</a>
    <${ReviewLine} next=${next} />
  `;
}

/** The next step at the lower edge of a small screen, while no run is there. @param {{ path: OpenPath }} props */
export function DockedNext({ path }) {
  const next = useNextStep({ branchId: path.branchId }, path.run.value?.state);
  if (!next || next.kind === "growing" || !isSettled(path.run.value) || path.isBare()) return null;
  return html`<${DockedStep} next=${next} />`;
}

/** The run in one line. @param {{ path: OpenPath, onShow: () => void }} props */
function RunLine({ path, onShow }) {
  const run = path.run.value;
  const agents = Object.keys(path.activity.value?.agents ?? {}).length;
  const isTimed = agents > 0 && run?.startedAt && run.endedAt;
  const time = isTimed ? clock(parseMs(run.endedAt ?? "") - parseMs(run.startedAt ?? "")) : "";
  return html`<p class="run-line t13">
    <span>${isTimed ? t("next.run", { n: agents, time }) : common("act.last")}</span>
    <button class="link" type="button" onClick=${onShow}>${t("next.show_run")}</button>
  </p>`;
}
