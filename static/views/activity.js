// @ts-check
/** The panel: what the agents of a run do now, or did; with Stop, Try again, and a replay. */

import { useSignal } from "@preact/signals";
import { serverNow } from "../api.js";
import { nowMs } from "../clock.js";
import { clock, count, money, modelName, msOf } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { isOpen } from "../live.js";
import { tokensOf } from "../state.js";
import { AgentBlock } from "./agent.js";
import { Icon } from "./icons.js";
import { Playhead } from "./playhead.js";
import { Score } from "./score.js";
import { Fault } from "./shell.js";

/** @import { Path } from "../live.js" */
/** @import { Activity, Agent, Run } from "../types.d.ts" */

/** @param {{ path: Path }} props */
export function ActivityPanel({ path }) {
  const run = path.run.value;
  const activity = path.replayed.value;
  const isWide = useSignal(false);
  if (!run || !activity) return html`<aside class="act" aria-label=${t("act.label")}><div class="act-head"><h2>${t("act.none")}</h2><p class="t13 dim">${t("act.none_text")}</p></div></aside>`;
  const open = isOpen(run);
  const untilMs = path.playhead.value ?? (activity.endedAt ? msOf(activity.endedAt) : nowMs.value || serverNow());
  const agents = inView(Object.values(activity.agents), activity.rootId);
  return html`<aside class=${isWide.value ? "act widened" : "act"} aria-label=${t("act.label")}>
    <div class="act-head">
      <div class="row nowrap"><h2>${titleOf(path, run)}</h2><span class="sp"></span>
        ${agents.length > 1 && html`<button class="btn flat sm icon hide-s" type="button" aria-pressed=${String(isWide.value)} aria-label=${t(isWide.value ? "act.narrow" : "act.widen")} title=${t(isWide.value ? "act.narrow" : "act.widen")} onClick=${() => { isWide.value = !isWide.value; }}><${Icon} name="columns" small /></button>`}
        ${open && html`<button class="btn sm stop" type="button" disabled=${path.busy.value !== null} aria-busy=${path.busy.value === "stopping" || undefined} onClick=${path.stop}><${Icon} name="stop" small />${t(path.busy.value === "stopping" ? "act.stopping" : "act.stop")}</button>`}
      </div>
      <${RunWords} path=${path} run=${run} />
      <${Meter} run=${run} activity=${activity} untilMs=${untilMs} />
    </div>
    ${path.expired.value && html`<p class="act-note t13 dim">${t("act.expired")}</p>`}
    ${!open && !path.expired.value && activity && html`<${Playhead} path=${path} />`}
    ${agents.length > 0 && html`<${Score} activity=${activity} agents=${[...agents].sort(byStart)} untilMs=${untilMs} />`}
    <div class="agents" aria-live="off">
      ${agents.length === 0 && open && html`<p class="act-note t13 dim"><span class="pulse"></span>${t("act.waking")}</p>`}
      ${activity.rationale && !open && html`<section class="agent rationale"><h3>${t("act.rationale")}</h3><p class="say">${activity.rationale}</p></section>`}
      ${agents.map((agent) => html`<${AgentBlock} key=${agent.runId} agent=${agent} isRoot=${agent.runId === activity.rootId} parts=${path.all.value.get(agent.nodeId ?? "")?.parts.filter((id) => !path.hidden.value.has(id)).length ?? 0} nowMs=${untilMs} quoted=${open ? null : activity.rationale} />`)}
    </div>
  </aside>`;
}

/** @param {Path} path @param {Run} run */
function titleOf(path, run) {
  const documents = path.answer.value?.documents ?? [];
  if (!isOpen(run)) return t("act.last");
  if (!documents.length) return t("act.growing", { title: path.answer.value?.branch.title ?? "" });
  const name = documents[0].originalFilename;
  return documents.length > 1 ? t("act.growing_from_more", { name, n: documents.length - 1 }) : t("act.growing_from", { name });
}

/** How the run stands, and what can be done about it. @param {{ path: Path, run: Run }} props */
function RunWords({ path, run }) {
  const retry = () => path.grow(run.small);
  const busy = path.busy.value === "starting";
  const refusal = path.refusal.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${path.refusal.value}</span></p>`;
  if (run.state === "failed" && !path.visible.value.length) return html`<p class="chip act-state fault"><${Icon} name="warn" small />${t("act.failed")}<span class="dimmer">${modelName(run.model, run.offline)}</span></p>`; // the map says why
  if (run.state === "failed") return html`<${Fault} message=${run.error?.message ?? path.activity.value?.error?.message ?? t("act.failed")} onRetry=${retry} busy=${busy}>${run.error?.code !== "cut_off" && html`<p class="t13 dim">${t("act.kept")}</p>`}<//>${refusal}`; // that one says it itself
  if (run.state === "cancelled" || run.state === "timed_out") {
    return html`<div class="row stopped"><span class="chip">${t(`act.${run.state}`)}. ${t("act.kept")}</span><button class="btn sm sp" type="button" disabled=${busy} onClick=${retry}>${t(busy ? "error.retrying" : "path.again")}</button></div>${refusal}`;
  }
  const tone = run.state === "completed" ? "leaf" : run.state === "waiting_on_human" ? "wait" : "";
  const icon = run.state === "completed" ? html`<${Icon} name="check" small />` : html`<span class="pulse"></span>`;
  return html`<p class="chip act-state ${tone}">${icon}${t(/** @type {any} */ (`act.${run.state}`))}<span class="dimmer">${modelName(run.model, run.offline)}</span></p>${refusal}`;
}

/** @param {{ run: Run, activity: Activity, untilMs: number }} props */
function Meter({ run, activity, untilMs }) {
  const startedAt = activity.startedAt ?? run.startedAt;
  const usage = activity.lastSeq ? activity.usage : run.usage;
  const caps = activity.caps ?? run.caps;
  const share = caps?.costUsd ? usage.costUsd / caps.costUsd : 0;
  const free = activity.offline || run.offline;
  return html`<dl class="meter">
      <div><dt>${t("act.time")}</dt><dd>${startedAt ? clock(untilMs - msOf(startedAt)) : "0:00"}</dd></div>
      <div><dt>${t("act.tokens")}</dt><dd>${count(tokensOf(usage))}</dd></div>
      <div><dt>${t("act.cost")}</dt><dd>${free ? t("act.free") : html`${money(usage.costUsd)} ${caps?.costUsd ? html`<small>${t("act.of", { total: money(caps.costUsd) })}</small>` : ""}`}</dd></div>
    </dl>
    ${!free && caps?.costUsd && html`<div class=${share >= 0.8 ? "track near" : "track"} role="img" aria-label=${t("act.budget", { n: Math.round(share * 100) })}><i style=${{ width: `${Math.min(100, share * 100)}%` }}></i></div>`}`;
}

/** @param {Agent} a @param {Agent} b */
const byStart = (a, b) => (a.queuedAt ?? a.startedAt ?? "~").localeCompare(b.queuedAt ?? b.startedAt ?? "~");

/** @type {Record<Agent["state"], number>} */
const RANK = { working: 0, queued: 1, failed: 2, stopped: 3, done: 3 };

/** The path's own agent first, then those at work, then those that wait, then those that ended. @param {Agent[]} agents @param {string} rootId */
const inView = (agents, rootId) => [...agents].sort((a, b) =>
  Number(b.runId === rootId) - Number(a.runId === rootId) || RANK[a.state] - RANK[b.state] || byStart(a, b));
