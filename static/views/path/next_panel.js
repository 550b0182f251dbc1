// @ts-check
/** Panel beside the map: the next lesson and the newest changes, or the run while it asks for attention. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { t } from "../../i18n/next.js";
import { earlyEnding } from "../../lib/run_ending.js";
import { isActive } from "../../state/run_view.js";
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
import { Loading } from "../common/shell.js";
import { GrowRest, Unfinished } from "./unfinished.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { NextAction, Run } from "../../types.d.ts" */

const findStart = lazy(async () => (await import("../placement/find_start.js")).FindStart);
const activity = lazy(async () => (await import("../run/activity_panel.js")).ActivityPanel);

/** Whether the run has come to its end and asks nothing of anybody. @param {Run | null} run */
const isSettled = (run) => !run || (run.state === "completed" && !run.cutOff && !earlyEnding(run));

/** Whether its learner has stopped the run; what was grown until then can be learned. @param {Run | null} run */
const isStopped = (run) => run?.state === "cancelled";

/** @param {{ path: OpenPath, children?: any }} props `children`: changes of the path */
export function NextPanel({ path, children }) {
  const showsRun = useSignal(false);
  const run = path.run.value;
  const found = useNextStep({ branchId: path.branchId }, run?.state);
  const next = found?.kind === "growing" ? null : found; // that of a run which has just ended: the next one is asked for
  const hasParts = [...path.all.value.values()].some((node) => node.type === "subconcept");
  const isOver = isSettled(run) || (isStopped(run) && hasParts);
  const isNext = isOver && !path.isBare() && path.playhead.value === null && !showsRun.value;
  const toggle = () => {
    showsRun.value = !showsRun.value;
  };
  if (!isNext)
    return html`<${activity.View} path=${path} onClose=${isOver && !path.isBare() ? toggle : null}>
      ${children}
    <//>`;
  return html`<aside class="act next-panel" aria-label=${t("next.label")}>
    <div class="first-step">
      <p class="eyebrow">${t("next.label")}</p>
      ${next ? html`<${Step} next=${next} />` : html`<${Loading} words=${t("next.loading")} isWrapped=${false} />`}
    </div>
    <${Unfinished} path=${path} />
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

/**
 * The next step at the lower edge of a small screen, while no run is there.
 * @param {{ path: OpenPath, onFound: (conceptId: string | null) => void }} props `onFound`: in which concept it is
 */
export function DockedNext({ path, onFound }) {
  const run = path.run.value;
  const next = useNextStep({ branchId: path.branchId }, run?.state);
  const conceptId = next?.concept?.id ?? null;
  useEffect(() => onFound(conceptId), [conceptId]);
  if (next?.kind === "growing" || isActive(run) || run?.cutOff || path.isBare()) return null;
  return html`<${DockedStep} next=${next} />`;
}

/** The run in one line. @param {{ path: OpenPath, onShow: () => void }} props */
function RunLine({ path, onShow }) {
  const run = path.run.value;
  const agents = Object.keys(path.activity.value?.agents ?? {}).length;
  const isTimed = agents > 0 && run?.startedAt && run.endedAt;
  const time = isTimed ? clock(parseMs(run.endedAt ?? "") - parseMs(run.startedAt ?? "")) : "";
  const words = isTimed ? t("next.run", { n: agents, time }) : common("act.last");
  return html`<div class="run-line t13">
    <span>${isStopped(run) ? t("next.stopped") : words}</span>
    ${isStopped(run) && html`<${GrowRest} path=${path} />`}
    <button class="link" type="button" onClick=${onShow}>${t("next.show_run")}</button>
  </div>`;
}
