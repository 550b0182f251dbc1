// @ts-check
/** Status of a node in words, with what its agent is doing. Pure; the time is passed in. */

import { commaJoined, shorten, parseMs } from "./format.js";
import { t } from "./i18n.js";

/** @import { Activity, Agent, NoteEntry } from "../types.d.ts" */
/** @import { GraphNode } from "../state/graph.js" */
/** @typedef {{ text: string, tone: "" | "leaf" | "due" | "wait", minutes?: number }} NodeStatus */

/**
 * The part of a concept's agent that its node shows: unlike the agent it does not change while text streams.
 * @typedef {{ nodeId: string, state: Agent["state"], endedAt: string | null, retry: NoteEntry | null }} ConceptAgent
 */

/** Whether the learner can go on from it. @param {GraphNode} node */
export const isLearned = (node) => ["learned", "mastered", "due"].includes(node.state);

/** The agents of concepts. @param {Activity | null} activity @returns {ConceptAgent[]} */
export const conceptAgentsOf = (activity) =>
  Object.values(activity?.agents ?? {}).flatMap(({ nodeId, state, endedAt, entries }) => {
    const last = entries.at(-1);
    return nodeId ? [{ nodeId, state, endedAt, retry: last?.type === "retry" && !endedAt ? last : null }] : [];
  });

/** @param {ConceptAgent[]} makers @param {string} conceptId */
export const conceptAgent = (makers, conceptId) => makers.find((maker) => maker.nodeId === conceptId);

/** The pending retry, or null. @param {ConceptAgent} maker @param {number} nowMs */
export function retryWait({ retry }, nowMs) {
  if (!retry?.at) return null;
  const leftMs = parseMs(retry.at) + retry.delayMs - nowMs;
  return {
    why: String(retry.why),
    seconds: Math.max(0, Math.ceil(leftMs / 1000)),
    attempt: retry.attempt,
    of: retry.of,
  };
}

/**
 * @param {GraphNode} node
 * @param {GraphNode[]} parts
 * @param {ConceptAgent | undefined} maker
 * @param {number} nowMs
 * @returns {NodeStatus}
 */
export function nodeStatus(node, parts, maker, nowMs) {
  if (maker && !maker.endedAt) return growingStatus(maker, parts.length, nowMs);
  return { ...settledStatus(node, parts, maker), minutes: node.minutes };
}

/** The status with the minutes of the lessons that are left. @param {NodeStatus} status */
export const statusWithMinutes = ({ text, minutes = 0 }) =>
  commaJoined([text, minutes > 0 && t("node.minutes", { n: minutes })]);

/**
 * @param {GraphNode} node
 * @param {GraphNode[]} parts
 * @param {ConceptAgent | undefined} maker
 * @returns {NodeStatus}
 */
function settledStatus(node, parts, maker) {
  if (maker?.state === "failed" && !parts.length) return { text: t("node.failed"), tone: "wait" };
  const done = parts.filter(isLearned).length;
  if (node.state === "mastered" || node.state === "learned") return { text: t(`state.${node.state}`), tone: "" };
  if (node.state === "due") {
    const due = parts.filter((part) => part.state === "due").length;
    return { text: due ? t("node.due", { n: due }) : t("state.due"), tone: "due" };
  }
  if (node.state === "locked")
    return {
      text: !node.missing
        ? t("node.with_concept")
        : t(node.type === "concept" ? "node.after_concepts" : "node.after", { n: node.missing }),
      tone: "",
    };
  if (node.state === "progress" || done)
    return {
      text: parts.length
        ? t("node.progress", { done, n: parts.length })
        : t("node.progress_mastery", { n: Math.round(node.mastery * 100) }),
      tone: "leaf",
    };
  return { text: parts.length ? t("node.ready_parts", { n: parts.length }) : t("node.ready"), tone: "leaf" };
}

/** @param {ConceptAgent} maker @param {number} parts @param {number} nowMs @returns {NodeStatus} */
function growingStatus(maker, parts, nowMs) {
  if (maker.state === "queued") return { text: t("node.queued"), tone: "" };
  const wait = retryWait(maker, nowMs);
  if (wait) return { text: t("node.retry", { ...wait, why: shorten(wait.why, 21) }), tone: "wait" };
  return { text: parts ? t("node.growing", { n: parts }) : t("node.growing_none"), tone: "leaf" };
}

/** A queued run's position in words. @param {number} position */
export const queuePositionWords = (position) => (position > 0 ? t("queue.before", { n: position }) : t("queue.next"));

/**
 * Letters of the states in a ring of petals.
 * @type {Record<import("../state/graph.js").NodeState, string>}
 */
const LETTERS = { locked: "l", ready: "r", progress: "p", learned: "m", mastered: "m", due: "d" };

/** The parts' states, a letter each. @param {GraphNode[]} parts */
export const petalsOf = (parts) => parts.map((part) => LETTERS[part.state]).join("");
