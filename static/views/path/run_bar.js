// @ts-check
/** Bar of the active run on small screens: agents, time, cost, Stop. */

import { clock, money, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { queuePositionWords } from "../../lib/node_status.js";
import { serverNow } from "../../net/api.js";
import { nowMs } from "../../state/clock.js";

/** The words until the first agent works. @param {import("../../types.d.ts").Run | null} run */
const startingWords = (run) => (run?.state === "queued" ? queuePositionWords(run.position) : t("act.waking"));

/** @param {{ path: import("../../state/open_path.js").OpenPath }} props */
export function RunBar({ path }) {
  const activity = path.activity.value;
  const agents = Object.values(activity?.agents ?? {}).filter((agent) => agent.state === "working").length;
  const elapsed = activity?.startedAt ? clock((nowMs.value || serverNow()) - parseMs(activity.startedAt)) : null;
  return html`<div class="runbar">
    <span class="pulse"></span>
    <span>
      <b>
        ${agents ? t("act.at_work", { n: agents }) : startingWords(path.run.value)}
      </b>
      ${elapsed && `, ${elapsed}`}
      ${activity && !activity.offline && activity.usage.costUsd > 0 && `, ${money(activity.usage.costUsd)}`}
    </span>
    <button class="btn sm stop flat sp" type="button" disabled=${path.busy.value !== null} onClick=${path.stop}>
      ${t(path.busy.value === "stopping" ? "act.stopping" : "act.stop")}
    </button>
  </div>`;
}
