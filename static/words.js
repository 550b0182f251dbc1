// @ts-check
/** What is said next to a node, and what its agent is doing right now. Pure but for the clock that is passed in. */

import { brief, msOf } from "./format.js";
import { t } from "./i18n.js";
import { LETTERS } from "./letters.js";

/** @import { Activity, Agent } from "./types.d.ts" */
/** @import { Seen } from "./graph.js" */
/** @typedef {{ text: string, tone: "" | "leaf" | "due" | "wait" }} Words */

/** The agent at work below a concept. @param {Activity | null} activity @param {string} conceptId @returns {Agent | undefined} */
export const agentOf = (activity, conceptId) => Object.values(activity?.agents ?? {}).find((agent) => agent.nodeId === conceptId);

/** The retry that an agent is waiting for, if it is. @param {Agent} agent @param {number} nowMs */
export function waitOf(agent, nowMs) {
  const last = agent.entries.at(-1);
  if (last?.type !== "retry" || agent.endedAt || !last.at) return null;
  const leftMs = msOf(last.at) + last.delayMs - nowMs;
  return { why: String(last.why), seconds: Math.max(0, Math.ceil(leftMs / 1000)), attempt: last.attempt, of: last.of };
}

/** @param {Seen} node @param {Seen[]} parts @param {Agent | undefined} agent @param {number} nowMs @returns {Words} */
export function wordsOf(node, parts, agent, nowMs) {
  if (agent && !agent.endedAt) return growingWords(agent, parts.length, nowMs);
  if (agent?.state === "failed" && !parts.length) return { text: t("node.failed"), tone: "wait" };
  const done = parts.filter((part) => part.state === "mastered").length;
  if (node.state === "mastered") return { text: t("node.mastered"), tone: "" };
  if (node.state === "due") return { text: t("state.due"), tone: "due" };
  if (node.state === "locked") return { text: !node.missing ? t("node.with_concept") : t(node.type === "concept" ? "node.after_concepts" : "node.after", { n: node.missing }), tone: "" };
  if (node.state === "progress" || done) return { text: parts.length ? t("node.progress", { done, n: parts.length }) : t("node.progress_mastery", { n: Math.round(node.mastery * 100) }), tone: "leaf" };
  return { text: parts.length ? t("node.ready_parts", { n: parts.length }) : t("node.ready"), tone: "leaf" };
}

/** @param {Agent} agent @param {number} parts @param {number} nowMs @returns {Words} */
function growingWords(agent, parts, nowMs) {
  if (agent.state === "queued") return { text: t("node.queued"), tone: "" };
  const wait = waitOf(agent, nowMs);
  if (wait) return { text: t("node.retry", { ...wait, why: brief(wait.why, 21) }), tone: "wait" };
  return { text: parts ? t("node.growing", { n: parts }) : t("node.growing_none"), tone: "leaf" };
}

/** How many runs are before a queued one. @param {number} position */
export const positionWords = (position) => (position > 0 ? t("queue.before", { n: position }) : t("queue.next"));

/** A letter per part, as the petals take them. @param {Seen[]} parts */
export const petalsOf = (parts) => parts.map((part) => LETTERS[part.state]).join("");
