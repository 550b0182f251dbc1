// @ts-check
/** Activity panel of a run: its agents, with Stop, retry and replay. */

import { useSignal } from "@preact/signals";
import { parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import { t } from "../../i18n/run.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { serverNow } from "../../net/api.js";
import { nowMs } from "../../state/clock.js";
import { isActive } from "../../state/run_view.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { AgentBlock, agentName } from "./agent.js";
import { Meter } from "./meter.js";
import { Playhead } from "./playhead.js";
import { RunWords, useIsExplained } from "./run_words.js";
import { Timeline } from "./timeline.js";

await loadSheet("styles/run.css");

/** @import { Agent, Document, Run } from "../../types.d.ts" */
/** @import { RunView } from "../../state/run_view.js" */
/**
 * The run to show, with its path.
 * @typedef {RunView & {
 *   title: { value: string },
 *   partCount: (nodeId: string | null) => number,
 *   documents: () => Document[],
 *   isBare: () => boolean,
 *   grow: ((small: boolean) => Promise<void>) | null,
 *   showRun: (row: Run) => void,
 *   load: () => Promise<void>,
 *   branchId: string | null,
 * }} Panel `isBare`: the map is empty and explains itself; `grow`: grows the rest of the path
 */

const handoff = lazy(async () => (await import("./handoff.js")).Handoff);
const history = lazy(async () => (await import("./history.js")).History);
/** Prefetch what a run that waits needs. */
export const prefetchLater = () => {
  handoff.prefetch();
  history.prefetch();
};

/**
 * @param {{ path: Panel, handsOver?: boolean, onClose?: (() => void) | null, children?: any }} props
 *   `handsOver`: includes hand-off panels; `onClose`: back to what the panel stands in for; `children`: what the run
 *   led to
 */
export function ActivityPanel({ path, handsOver = true, onClose = null, children }) {
  const run = path.run.value;
  const activity = path.replayed.value;
  const isWide = useSignal(false);
  if (!run || !activity)
    return html`<aside class="act" aria-label=${t("act.label")}>
      <div class="act-head"><h2>${t("act.none")}</h2><p class="t13 dim">${t("act.none_text")}</p></div>
    </aside>`;
  const open = isActive(run);
  const stillAt = activity.endedAt ?? (run.cutOff ? activity.lastAt : null);
  const untilMs = path.playhead.value ?? (stillAt ? parseMs(stillAt) : nowMs.value || serverNow());
  const asks = activity.agents[activity.rootId]?.asks;
  const agents = inView(Object.values(activity.agents), activity.rootId).map((agent) =>
    run.cutOff && agent.state === "working" ? { ...agent, state: /** @type {const} */ ("cut") } : agent,
  );
  return html`<aside class=${isWide.value ? "act widened" : "act"} aria-label=${t("act.label")}>
    <div class="act-head">
      <div class="row nowrap">
        <h2>${titleOf(path, run)}</h2>
        <span class="sp"></span>
        ${
          agents.length > 1 &&
          html`<button
            class="btn flat sm icon hide-s"
            type="button"
            aria-pressed=${String(isWide.value)}
            aria-label=${t(isWide.value ? "act.narrow" : "act.widen")}
            title=${t(isWide.value ? "act.narrow" : "act.widen")}
            onClick=${() => {
              isWide.value = !isWide.value;
            }}
          >
            <${Icon} name="columns" small />
          </button>`
        }
        ${
          onClose &&
          html`<button class="btn go sm" type="button" onClick=${onClose}>
            ${t("next.hide_run")}
          </button>`
        }
        ${
          open &&
          !needsPerson(run) &&
          html`<button
            class="btn sm stop"
            type="button"
            disabled=${path.busy.value !== null}
            aria-busy=${path.busy.value === "stopping" || undefined}
            onClick=${path.stop}
          >
            <${Icon} name="stop" small />
            ${t(path.busy.value === "stopping" ? "act.stopping" : "act.stop")}
          </button>`
        }
      </div>
      <${RunWords} path=${path} run=${run} />
      <${Meter} run=${run} activity=${activity} untilMs=${asks?.at ? parseMs(asks.at) : untilMs} />
    </div>
    ${handsOver && html`<${Handoffs} path=${path} run=${run} />`}
    ${path.expired.value && html`<p class="act-note t13 dim">${t("act.expired")}</p>`}
    ${!open && !path.expired.value && activity && html`<${Playhead} path=${path} />`}
    ${
      agents.length > 0 &&
      html`<${Timeline} activity=${activity} agents=${[...agents].sort(byStart)} untilMs=${untilMs} />`
    }
    <div class="agents" aria-live="off">
      ${
        agents.length === 0 &&
        run.state === "running" &&
        !run.cutOff &&
        html`<p class="act-note t13 dim"><span class="pulse"></span>${t("act.waking")}</p>`
      }
      ${!open && children}
      ${
        activity.rationale &&
        !open &&
        html`<${Rationale}
          title=${t(run.agent === "topic" ? "act.rationale" : "act.outcome")}
          text=${serverSentence({ code: activity.rationaleCode, message: activity.rationale })}
        />`
      }
      ${agents
        .filter((agent) => !isQuiet(agent))
        .map(
          (agent) => html`<${AgentBlock}
            key=${agent.runId}
            agent=${agent}
            isRoot=${agent.runId === activity.rootId}
            parts=${path.partCount(agent.nodeId)}
            nowMs=${untilMs}
            quoted=${open ? null : activity.rationale}
          />`,
        )}
      <${QuietOnes} agents=${agents.filter(isQuiet)} />
      ${path.branchId && html`<${Earlier} key=${path.branchId} branchId=${path.branchId} run=${run} />`}
    </div>
  </aside>`;
}

/**
 * Whether the run waits for a person: then the hand-off panel has the buttons.
 * @param {Run} run
 */
const needsPerson = (run) => run.state === "waiting_on_human" || run.cutOff;

/**
 * Hand-off panels of the run and of those below it that wait.
 * @param {{ path: Panel, run: Run }} props
 */
function Handoffs({ path, run }) {
  const asking = path.asking.value;
  const isExplained = useIsExplained(path);
  const stopped = run.cutOff || run.state === "failed" || run.state === "timed_out" || run.state === "waiting_on_human";
  const ids = stopped && !run.discarded ? [run.id, ...asking.filter((id) => id !== run.id)] : asking;
  return ids.map(
    (id) => html`<${handoff.View}
      key=${id}
      runId=${id}
      row=${id === run.id ? run : null}
      turn=${turnOf(path, run, id)}
      isExplained=${id === run.id && isExplained}
      onRow=${(/** @type {Run} */ row) => path.adopt(row)}
      onRetried=${path.showRun}
      onDiscarded=${path.load}
    />`,
  );
}

/** A value that changes whenever a run asks or stops again. @param {Panel} path @param {Run} run @param {string} id */
const turnOf = (path, run, id) =>
  `${id === run.id ? `${run.state}${run.cutOff}${run.offers}` : ""}${path.activity.value?.agents[id]?.asks?.at ?? ""}`;

const SHORT_TEXT = 260;

/**
 * The agent's summary of its work, folded if it is long.
 * @param {{ title: string, text: string }} props
 */
function Rationale({ title, text }) {
  const every = useSignal(false);
  const isLong = text.length > SHORT_TEXT;
  return html`<section class="agent rationale">
    <h3>${title}</h3>
    <p class=${isLong && !every.value ? "say clamped" : "say"}>${text}</p>
    ${
      isLong &&
      html`<button
        class="link t13"
        type="button"
        aria-expanded=${String(every.value)}
        onClick=${() => {
          every.value = !every.value;
        }}
      >
        ${t(every.value ? "act.less_text" : "act.rationale_all")}
      </button>`
    }
  </section>`;
}

/** Earlier runs of the path, folded. @param {{ branchId: string, run: Run }} props */
function Earlier({ branchId, run }) {
  const isOpen = useSignal(false);
  return html`<section class="agent history">
    <button
      class="fold"
      type="button"
      aria-expanded=${String(isOpen.value)}
      onClick=${() => {
        isOpen.value = !isOpen.value;
      }}
    >
      <${Icon} name="right" small />
      <h3>${t("runs.title")}</h3>
    </button>
    ${isOpen.value && html`<${history.View} branchId=${branchId} shownId=${run.id} state=${run.state} />`}
  </section>`;
}

/** @param {Panel} path @param {Run} run */
function titleOf(path, run) {
  const documents = path.documents();
  if (!isActive(run)) return t("act.last");
  if (!documents.length) return t("act.growing", { title: path.title.value });
  const name = documents[0].originalFilename;
  return documents.length > 1
    ? t("act.growing_from_more", { name, n: documents.length - 1 })
    : t("act.growing_from", { name });
}

/** @param {Agent} a @param {Agent} b */
const byStart = (a, b) => (a.queuedAt ?? a.startedAt ?? "~").localeCompare(b.queuedAt ?? b.startedAt ?? "~");

/** @type {Record<Agent["state"], number>} */
const RANK = { waiting: 0, working: 0, cut: 0, queued: 1, failed: 2, stopped: 3, done: 3 };

/** Whether the agent checked questions or answers and has ended: such agents are folded. @param {Agent} agent */
const isQuiet = (agent) => agent.state === "done" && (agent.label === "key_check" || agent.label === "grading");

/** Agents that only looked over what others did, as one line for each kind. @param {{ agents: Agent[] }} props */
function QuietOnes({ agents }) {
  const names = [...new Set(agents.map((agent) => agentName(agent, false)))];
  return names.map(
    (name) =>
      html`<section key=${name} class="agent quiet">
        <h3>${name}</h3>
        <span class="t12 dimmer">
          ${t("act.quiet", { n: agents.filter((agent) => agentName(agent, false) === name).length })}
        </span>
      </section>`,
  );
}

/**
 * The path's own agent first, then those at work, then those that wait, then those that ended.
 * @param {Agent[]} agents
 * @param {string} rootId
 */
const inView = (agents, rootId) =>
  [...agents].sort(
    (a, b) => Number(b.runId === rootId) - Number(a.runId === rootId) || RANK[a.state] - RANK[b.state] || byStart(a, b),
  );
