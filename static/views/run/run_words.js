// @ts-check
/** State of a run in words, with what can be done about it. */

import { modelName } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as onward } from "../../i18n/next.js";
import { t } from "../../i18n/run.js";
import { earlyEnding, nextWords } from "../../lib/run_ending.js";
import { queuePositionWords } from "../../lib/node_status.js";
import { retry as retryRun } from "../../net/runs_api.js";
import { Icon } from "../common/icons.js";
import { useIsWide } from "../common/media_query.js";

/** @import { Run } from "../../types.d.ts" */
/** @import { Panel } from "./activity_panel.js" */

/** Whether the map beside the panel says how the run ended, with the way on. @param {Panel} path */
export const useIsExplained = (path) => useIsWide() && path.isBare();

/** State of the run, with its actions. @param {{ path: Panel, run: Run }} props */
export function RunWords({ path, run }) {
  const isExplained = useIsExplained(path);
  const retry = () => path.grow?.(run.small);
  const busy = path.busy.value === "starting";
  const refusal =
    path.refusal.value &&
    html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${path.refusal.value}</span></p>`;
  if (run.state === "failed" || run.state === "timed_out")
    return html`
      <p class="chip act-state fault">
        <${Icon} name="warn" small />
        ${t(`act.${run.state}`)}
        <span class="dimmer">${modelName(run.model, run.offline)}</span>
      </p>
      ${refusal}
    `; // the actions are below, or on the map
  if (run.state === "cancelled") {
    const isBare = path.isBare();
    const startLabel = isBare ? "path.grow" : "path.again";
    return html`
      <div class="row stopped">
        <span class="chip">${t("act.cancelled")}.${isBare ? "" : ` ${t("act.kept")}`}</span>
        ${
          path.grow &&
          !isExplained &&
          html`<button class="btn go sm sp" type="button" disabled=${busy} onClick=${retry}>
            ${t(busy ? "error.retrying" : startLabel)}
          </button>`
        }
      </div>
      ${refusal}
    `;
  }
  if (run.state === "queued")
    return html`
      <p class="chip act-state">
        <${Icon} name="hourglass" small />
        ${t("act.queued")}
        <span class="dimmer">${queuePositionWords(run.position)}</span>
      </p>
      ${refusal}
    `;
  const early = run.state === "completed" && earlyEnding(run);
  if (early)
    return html`
      <p class="chip act-state wait wrap-chip"><${Icon} name="warn" small />${early}</p>
      <p class="t13 dim">${nextWords(run)}</p>
      ${
        run.offers.includes("retry") &&
        html`<button
          class=${isExplained ? "btn sm" : "btn go sm"}
          type="button"
          disabled=${path.busy.value !== null}
          aria-busy=${busy || undefined}
          onClick=${() => path.act("starting", async () => path.showRun(await retryRun(run.id)))}
        >
          ${busy ? t("handoff.resuming") : onward("ended.go_on")}
        </button>`
      }
      ${refusal}
    `;
  if (run.cutOff)
    return html`<p class="chip act-state wait"><${Icon} name="hourglass" small />${t("handoff.cut_off")}</p>${refusal}`;
  const tone = run.state === "completed" ? "leaf" : run.state === "waiting_on_human" ? "wait" : "";
  const icon =
    run.state === "running"
      ? html`<span class="pulse"></span>`
      : html`<${Icon} name=${run.state === "completed" ? "check" : "hourglass"} small />`;
  return html`
    <p class="chip act-state ${tone}">
      ${icon}
      ${t(/** @type {any} */ (`act.${run.state}`))}
      <span class="dimmer">${modelName(run.model, run.offline)}</span>
    </p>
    ${refusal}
  `;
}
