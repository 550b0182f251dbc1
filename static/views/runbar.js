// @ts-check
/** On small screens: that agents are at work, for how long, and Stop. */

import { serverNow } from "../api.js";
import { nowMs } from "../clock.js";
import { clock, money, msOf } from "../format.js";
import { positionWords } from "../words.js";
import { html } from "../html.js";
import { t } from "../i18n.js";

/** @param {{ path: import("../live.js").Path }} props */
export function Runbar({ path }) {
  const activity = path.activity.value;
  const agents = Object.values(activity?.agents ?? {}).filter((agent) => agent.state === "working").length;
  const elapsed = activity?.startedAt ? clock((nowMs.value || serverNow()) - msOf(activity.startedAt)) : null;
  return html`<div class="runbar"><span class="pulse"></span>
    <span><b>${agents ? t("act.at_work", { n: agents }) : path.run.value?.state === "queued" ? positionWords(path.run.value.position) : t("act.waking")}</b>${elapsed && `, ${elapsed}`}${activity && !activity.offline && activity.usage.costUsd > 0 && `, ${money(activity.usage.costUsd)}`}</span>
    <button class="btn sm stop flat sp" type="button" disabled=${path.busy.value !== null} onClick=${path.stop}>${t(path.busy.value === "stopping" ? "act.stopping" : "act.stop")}</button>
  </div>`;
}
