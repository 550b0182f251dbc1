// @ts-check
/** Block of one agent: its latest text, then its steps. */

import { useSignal } from "@preact/signals";
import { groupLines } from "../../lib/activity_lines.js";
import { commaJoined, modelName } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { earlyEnding } from "../../lib/run_ending.js";
import { queuePositionWords } from "../../lib/node_status.js";
import { Icon } from "../common/icons.js";
import { Line } from "./activity_line.js";

/** @import { Agent, TextEntry } from "../../types.d.ts" */

const TAIL = 420;
const LINES_WHILE_FOLDED = 6;

/** @type {Record<string, import("../../i18n/run.js").Key>} */
const NAMES = {
  topic: "agent.topic",
  concept_refinement: "agent.refinement",
  path_review: "agent.review",
  key_check: "agent.key_check",
  variants: "agent.variants",
  grading: "agent.grading",
  tutor: "agent.tutor",
  concept: "agent.concept",
  subconcept: "agent.concept",
};

/**
 * Display name of an agent; for plugins, their label.
 * @param {Agent} agent
 * @param {boolean} isRoot
 */
export function agentName(agent, isRoot) {
  const [kind, ...title] = agent.label.split(":");
  if (title.length) return title.join(":");
  const known = NAMES[kind || (isRoot ? "topic" : "concept")];
  return known ? t(known) : kind;
}

/**
 * @param {{ agent: Agent, isRoot: boolean, parts: number, nowMs: number, quoted: string | null }} props `quoted`: text
 *   that is already shown elsewhere
 */
export function AgentBlock({ agent, isRoot, parts, nowMs, quoted }) {
  const choice = useSignal(/** @type {boolean | null} */ (null));
  const all = useSignal(false);
  const ended = agent.endedAt !== null;
  const isOpen = choice.value ?? (!ended || agent.state === "failed" || isRoot);
  const last = /** @type {TextEntry | undefined} */ (agent.entries.findLast((entry) => entry.type === "text"));
  const lines = groupLines(agent.entries);
  const shown = all.value ? lines : lines.slice(-LINES_WHILE_FOLDED);
  const canShowAll =
    lines.length > LINES_WHILE_FOLDED ||
    agent.entries.some((entry) => entry.type === "text" && (entry !== last || entry.text.length > TAIL));
  return html`<section class=${`agent ${isOpen ? "" : "folded"}`}>
    <header>
      <button
        class="fold"
        type="button"
        aria-expanded=${String(isOpen)}
        onClick=${() => {
          choice.value = !isOpen;
        }}
      >
        <${Icon} name="right" small />
        <h3>${agentName(agent, isRoot)}</h3>
      </button>
      <span>${standing(agent, parts, last)}</span>
    </header>
    ${!isRoot && earlyEnding(agent) && html`<p class="t13 dim">${earlyEnding(agent)}.</p>`}
    ${
      isOpen &&
      last &&
      last.text.trim() !== quoted?.trim() &&
      !all.value &&
      html`<p class="think">
        <span>
          ${tail(last.text)}
          ${!last.done && !ended && agent.state === "working" && html`<span class="caret"></span>`}
        </span>
      </p>`
    }
    ${
      isOpen &&
      html`<ul class="lines">
        ${shown.map(
          (line) => html`<${Line} key=${line.key} line=${line} nowMs=${nowMs} isOver=${ended} withText=${all.value} />`,
        )}
      </ul>`
    }
    ${
      isOpen &&
      canShowAll &&
      html`<button
        class="link t13 show-all"
        type="button"
        onClick=${() => {
          all.value = !all.value;
        }}
      >
        ${t(all.value ? "act.less_text" : "act.all_text")}
      </button>`
    }
  </section>`;
}

/** The end of a text, from a word boundary. @param {string} text */
function tail(text) {
  if (text.length <= TAIL) return text;
  const cut = text.slice(-TAIL);
  return `… ${cut.slice(cut.indexOf(" ") + 1)}`;
}

/** @param {Agent} agent @param {number} parts @param {TextEntry | undefined} last */
function standing(agent, parts, last) {
  const words = [modelName(agent.model, agent.offline)];
  if (agent.state === "queued") words.push(agent.position > 0 ? queuePositionWords(agent.position) : t("agent.queued"));
  else if (agent.state === "waiting") words.push(t("agent.waits"));
  else if (agent.state === "cut") words.push(t("agent.cut"));
  else if (agent.state === "failed") words.push(t("agent.failed"));
  else if (agent.state === "stopped") words.push(t("agent.stopped"));
  else if (agent.state === "working" && !parts)
    words.push(t(last && !last.done ? (last.of === "thinking" ? "agent.thinking" : "agent.writing") : "agent.working"));
  if (parts) words.push(t("agent.subconcepts", { n: parts }));
  return commaJoined(words);
}
