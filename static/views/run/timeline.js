// @ts-check
/** Timeline: one row per agent. Solid = working, notch = tool call, hatched = waiting, dotted = queued. */

import { useEffect, useRef, useState } from "preact/hooks";
import { axisOf } from "../../layout/time_axis.js";
import { clock, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { agentName } from "./agent.js";

/** @import { Activity, Agent, NoteEntry } from "../../types.d.ts" */

const NAMES = 132;
const LONGEST_NAME = 20;
const ROW = 24;
const TOP = 16;
const MOST_ROWS = 8;
const NOTCH_GAP = 4;

/** @param {{ activity: Activity, agents: Agent[], untilMs: number }} props */
export function Timeline({ activity, agents, untilMs }) {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(384);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, entry.contentRect.width)));
    watch.observe(/** @type {HTMLElement} */ (frame.current));
    return () => watch.disconnect();
  }, []);

  const fromMs = parseMs(
    activity.startedAt ?? agents[0].startedAt ?? agents[0].queuedAt ?? new Date(untilMs).toISOString(),
  );
  const endMs = Math.max(fromMs + 1000, untilMs);
  const axis = axisOf(fromMs, endMs, agents.some((agent) => agent.state === "working") ? [] : asked(agents, endMs));
  const right = width - 4;
  const at = (/** @type {number} */ ms) => NAMES + axis.at(ms) * (right - NAMES);
  const rows = agents.slice(0, MOST_ROWS);
  const more = agents.length - rows.length;
  const height = TOP + rows.length * ROW + (more ? ROW : 0);
  return html`<div class="score" ref=${frame}>
    <svg
      viewBox="0 0 ${width} ${height}"
      width=${width}
      height=${height}
      role="img"
      aria-label=${t("act.score", { n: agents.length })}
    >
      <text class="ax" x=${NAMES} y="10">0:00</text>
      ${
        !axis.isCut &&
        endMs - fromMs >= 2000 &&
        html`<text class="ax" x=${(NAMES + right) / 2} y="10" text-anchor="middle">
          ${clock((endMs - fromMs) / 2)}
        </text>`
      }
      <text class="ax" x=${right} y="10" text-anchor="end">${clock(endMs - fromMs)}</text>
      ${rows.map(
        (agent, i) => html`<${Row}
          key=${agent.runId}
          agent=${agent}
          isRoot=${agent.runId === activity.rootId}
          y=${TOP + i * ROW + 8}
          at=${at}
          untilMs=${untilMs}
        />`,
      )}
      ${more > 0 && html`<text class="ax" x="0" y=${height - 6}>${t("act.more_rows", { n: more })}</text>`}
      ${!activity.endedAt && html`<path class="now" d="M${right + 1} 16V${height - (more ? ROW : 0)}" />`}
    </svg>
  </div>`;
}

/** Classes of bars of agents that work or have failed. @type {Partial<Record<Agent["state"], string>>} */
const BARS = { failed: "b-failed", working: "b-work" };

/** @param {{ agent: Agent, isRoot: boolean, y: number, at: (ms: number) => number, untilMs: number }} props */
function Row({ agent, isRoot, y, at, untilMs }) {
  const name = shortened(agentName(agent, isRoot));
  const working = agent.state === "working";
  const queuedMs = agent.queuedAt ? parseMs(agent.queuedAt) : untilMs;
  const startMs = agent.startedAt ? parseMs(agent.startedAt) : untilMs;
  const endMs = agent.endedAt ? parseMs(agent.endedAt) : untilMs;
  const bar = (/** @type {string} */ kind, /** @type {number} */ from, /** @type {number} */ to) =>
    html`<rect class=${kind} x=${at(from)} y=${y} width=${Math.max(2, at(to) - at(from))} height="12" rx="3" />`;
  return html`<g>
    <text class=${working ? "on" : ""} x="0" y=${y + 10}>${name}</text>
    ${agent.queuedAt && startMs - queuedMs > 300 && bar("b-queue", queuedMs, startMs)}
    ${agent.startedAt && bar(BARS[agent.state] ?? "b-done", startMs, endMs)}
    ${agent.startedAt && notches(agent, at).map((x) => html`<path key=${x} class="tick" d="M${x} ${y + 2}v8" />`)}
    ${waits(agent, endMs).map(
      ([from, to]) => html`<g key=${from}>${bar("b-clear", from, to)}${bar("b-wait", from, to)}</g>`,
    )}
  </g>`;
}

/** @param {string} name */
const shortened = (name) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).replace(/[\s:,;.]+$/, "")}…` : name;

/**
 * Positions of tool calls, without those too close to tell apart.
 * @param {Agent} agent
 * @param {(ms: number) => number} at
 */
function notches(agent, at) {
  /** @type {number[]} */
  const found = [];
  for (const entry of agent.entries) {
    if (entry.type !== "tool" || !entry.at) continue;
    const x = Math.round(at(parseMs(entry.at)));
    if (!found.length || x - found[found.length - 1] >= NOTCH_GAP) found.push(x);
  }
  return found;
}

/** The waits for a person. @param {Agent[]} agents @param {number} untilMs */
const asked = (agents, untilMs) =>
  agents.flatMap((agent) =>
    waits(
      { ...agent, entries: agent.entries.filter((entry) => entry.type === "asks" || entry.type === "resumed") },
      untilMs,
    ),
  );

/**
 * The waits of an agent: for a retry, or for a person.
 * @param {Agent} agent
 * @param {number} endMs
 * @returns {[number, number][]}
 */
const waits = (agent, endMs) =>
  agent.entries.flatMap((entry, i) => {
    if ((entry.type !== "retry" && entry.type !== "asks") || !entry.at) return [];
    const fromMs = parseMs(entry.at);
    const resumed = /** @type {NoteEntry | undefined} */ (
      agent.entries.slice(i).find((later) => later.type === "resumed")
    );
    const untilMs = entry.type === "retry" ? fromMs + entry.delayMs : resumed?.at ? parseMs(resumed.at) : endMs;
    return [/** @type {[number, number]} */ ([fromMs, Math.min(endMs, untilMs)])];
  });
