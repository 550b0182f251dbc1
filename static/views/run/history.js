// @ts-check
/** Earlier runs of a path, a page at a time. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { commaJoined, money } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { earlyEnding } from "../../lib/run_ending.js";
import * as api from "../../net/api.js";
import * as runsApi from "../../net/runs_api.js";
import { runDuration, sinceWords } from "../../state/handoff.js";
import { runUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { agentName } from "./agent.js";

/** @import { Run } from "../../types.d.ts" */

/**
 * @param {{ branchId: string, shownId: string, state: string }} props `state`: of the shown run; the list is reloaded
 *   when it changes
 */
export function History({ branchId, shownId, state }) {
  const runs = useSignal(/** @type {Run[] | null} */ (null));
  const more = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));

  /** @param {Run[]} kept */
  const load = async (kept) => {
    busy.value = true;
    problem.value = null;
    try {
      let before = kept.at(-1)?.id ?? null;
      const found = [];
      do {
        // a page may hold nothing but discarded runs
        const page = await runsApi.runs(branchId, before);
        found.push(...page.runs);
        more.value = page.more;
        before = page.runs.at(-1)?.id ?? null;
      } while (more.value && found.every((run) => run.discarded));
      runs.value = [...kept, ...found];
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => {
    load([]);
  }, [shownId, state]);
  const kept = (runs.value ?? []).filter((run) => !run.discarded);

  return html`
    <ol class="run-list">
      ${kept.map((run) => html`<${RunLine} key=${run.id} run=${run} isShown=${run.id === shownId} />`)}
    </ol>
    ${runs.value && !kept.length && html`<p class="t13 dim">${t("runs.none")}</p>`}
    ${
      problem.value &&
      html`<p class="err" role="alert">
        <${Icon} name="warn" small />
        <span>
          ${problem.value} <button class="link" type="button" onClick=${() => load(runs.value ?? [])}>
            ${t("error.retry")}
          </button>
        </span>
      </p>`
    }
    ${
      more.value &&
      html`<button
        class="btn sm"
        type="button"
        disabled=${busy.value}
        aria-busy=${busy.value || undefined}
        onClick=${() => load(runs.value ?? [])}
      >
        ${t(busy.value ? "runs.loading" : "runs.older")}
      </button>`
    }
  `;
}

/** @type {Record<Run["state"], { icon: "check" | "warn" | "hourglass" | "stop" | "pulse", tone: string }>} */
const LOOKS = {
  completed: { icon: "check", tone: "leaf" },
  failed: { icon: "warn", tone: "fault" },
  timed_out: { icon: "warn", tone: "fault" },
  cancelled: { icon: "stop", tone: "" },
  queued: { icon: "hourglass", tone: "" },
  running: { icon: "pulse", tone: "leaf" },
  waiting_on_human: { icon: "hourglass", tone: "wait" },
};

/** @param {{ run: Run, isShown: boolean }} props */
function RunLine({ run, isShown }) {
  const { icon, tone } = run.state === "completed" && earlyEnding(run) ? LOOKS.waiting_on_human : LOOKS[run.state];
  const now = api.serverNow();
  const facts = commaJoined([
    runDuration(run, now),
    run.offline ? t("act.free") : money(run.usage.costUsd),
    isShown && t("runs.now"),
  ]);
  const name = agentName(/** @type {any} */ ({ label: run.label }), true);
  return html`<li>
    <span class="chip ${tone}"><${Icon} name=${icon} small /></span>
    <a href=${runUrl(run.id)} aria-current=${isShown ? "true" : undefined}>
      ${commaJoined([name, sinceWords(run.createdAt, now)])}
    </a>
    <span class="t12 dimmer">
      ${earlyEnding(run) ?? t(run.cutOff ? "handoff.cut_off" : `act.${run.state}`)}. ${facts}
    </span>
  </li>`;
}
