// @ts-check
/** What is said next to a node, and what its agent is doing right now. Pure but for the clock that is passed in. */

import { brief, msOf } from "./format.js";
import { t } from "./i18n.js";
import { LETTERS } from "./letters.js";

/** @import { Activity, Agent, NoteEntry } from "./types.d.ts" */
/** @import { Seen } from "./graph.js" */
/** @typedef {{ text: string, tone: "" | "leaf" | "due" | "wait" }} Words */

/** Who works below a concept, as much of it as its node says: unlike the agent it stays the same while text streams. @typedef {{ nodeId: string, state: Agent["state"], endedAt: string | null, retry: NoteEntry | null }} Maker */

/** The agents that work below concepts. @param {Activity | null} activity @returns {Maker[]} */
export const makersOf = (activity) => Object.values(activity?.agents ?? {}).flatMap(({ nodeId, state, endedAt, entries }) => {
  const last = entries.at(-1);
  return nodeId ? [{ nodeId, state, endedAt, retry: last?.type === "retry" && !endedAt ? last : null }] : [];
});

/** @param {Maker[]} makers @param {string} conceptId */
export const makerOf = (makers, conceptId) => makers.find((maker) => maker.nodeId === conceptId);

/** The retry that is waited for, if one is. @param {Maker} maker @param {number} nowMs */
export function waitOf({ retry }, nowMs) {
  if (!retry?.at) return null;
  const leftMs = msOf(retry.at) + retry.delayMs - nowMs;
  return { why: String(retry.why), seconds: Math.max(0, Math.ceil(leftMs / 1000)), attempt: retry.attempt, of: retry.of };
}

/** @param {Seen} node @param {Seen[]} parts @param {Maker | undefined} maker @param {number} nowMs @returns {Words} */
export function wordsOf(node, parts, maker, nowMs) {
  if (maker && !maker.endedAt) return growingWords(maker, parts.length, nowMs);
  if (maker?.state === "failed" && !parts.length) return { text: t("node.failed"), tone: "wait" };
  const done = parts.filter((part) => part.state === "mastered").length;
  if (node.state === "mastered") return { text: t("node.mastered"), tone: "" };
  if (node.state === "due") return { text: t("state.due"), tone: "due" };
  if (node.state === "locked") return { text: !node.missing ? t("node.with_concept") : t(node.type === "concept" ? "node.after_concepts" : "node.after", { n: node.missing }), tone: "" };
  if (node.state === "progress" || done) return { text: parts.length ? t("node.progress", { done, n: parts.length }) : t("node.progress_mastery", { n: Math.round(node.mastery * 100) }), tone: "leaf" };
  return { text: parts.length ? t("node.ready_parts", { n: parts.length }) : t("node.ready"), tone: "leaf" };
}

/** @param {Maker} maker @param {number} parts @param {number} nowMs @returns {Words} */
function growingWords(maker, parts, nowMs) {
  if (maker.state === "queued") return { text: t("node.queued"), tone: "" };
  const wait = waitOf(maker, nowMs);
  if (wait) return { text: t("node.retry", { ...wait, why: brief(wait.why, 21) }), tone: "wait" };
  return { text: parts ? t("node.growing", { n: parts }) : t("node.growing_none"), tone: "leaf" };
}

/** How many runs are before a queued one. @param {number} position */
export const positionWords = (position) => (position > 0 ? t("queue.before", { n: position }) : t("queue.next"));

/** A letter per part, as the petals take them. @param {Seen[]} parts */
export const petalsOf = (parts) => parts.map((part) => LETTERS[part.state]).join("");
