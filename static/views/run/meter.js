// @ts-check
/** Meter of a run: its time, tokens and cost, and how much of what it may cost is spent. */

import { clock, count, money, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { tokensOf } from "../../state/event_reducer.js";

/** @import { Activity, Run } from "../../types.d.ts" */

/** @param {{ run: Run, activity: Activity, untilMs: number }} props */
export function Meter({ run, activity, untilMs }) {
  const startedAt = activity.startedAt ?? run.startedAt;
  const usage = activity.lastSeq ? activity.usage : run.usage;
  const caps = activity.caps ?? run.caps;
  const share = caps?.costUsd ? usage.costUsd / caps.costUsd : 0;
  const free = activity.offline || run.offline;
  return html`
    <dl class="spent">
      <div><dt>${t("act.time")}</dt><dd>${startedAt ? clock(untilMs - parseMs(startedAt)) : "0:00"}</dd></div>
      <div><dt>${t("act.tokens")}</dt><dd>${count(tokensOf(usage))}</dd></div>
      <div>
        <dt>${t("act.cost")}</dt>
        <dd>
          ${
            free
              ? t("act.free")
              : html`
                ${money(usage.costUsd)} ${
                  caps?.costUsd ? html`<small>${t("act.of", { total: money(caps.costUsd) })}</small>` : ""
                }
              `
          }
        </dd>
      </div>
    </dl>
    ${
      !free &&
      caps?.costUsd &&
      html`<div
        class=${share >= 0.8 ? "track near" : "track"}
        role="img"
        aria-label=${t("act.budget", { n: Math.round(share * 100) })}
      >
        <i style=${{ width: `${Math.min(100, share * 100)}%` }}></i>
      </div>`
    }
  `;
}
