// @ts-check
/** Requests about the learner: progress, exports, memories, deletion. */

import { post, request } from "./api.js";

/** @import { Evidence, Memory, MixUp, ProgressReport, Run, TeacherDecision, Today } from "../types.d.ts" */

const at = encodeURIComponent;
const CONFIRMED = "delete everything";

/** @param {string | null} branchId of one path; null for all */
const of = (branchId) => (branchId ? `?branchId=${at(branchId)}` : "");

/** What teachers have decided about the learner's answers, newest first. @returns {Promise<TeacherDecision[]>} */
export const decisions = () => request("/account/decisions");
export const markDecisionsSeen = () => post("/account/decisions/seen", {});

/** The learner's day. @returns {Promise<Today>} */
export const today = () => request("/today");
/** @param {string | null} branchId @returns {Promise<ProgressReport>} */
export const progress = (branchId) => request(`/learner/progress${of(branchId)}`);
/**
 * The answers behind a node's mastery, newest first.
 * @param {string} nodeId
 * @returns {Promise<Evidence[]>}
 */
export const evidence = (nodeId) => request(`/nodes/${at(nodeId)}/evidence`);

/** The mix-ups: open ones first. @param {string | null} branchId @returns {Promise<MixUp[]>} */
export const mixUps = (branchId) => request(`/misconceptions${of(branchId)}`);

/** Addresses of the exports. @param {string | null} branchId */
export const exportUrls = (branchId) => ({
  answers: `/api/learner/answers.csv${of(branchId)}`,
  mastery: `/api/learner/mastery.csv${of(branchId)}`,
  path: branchId && `/api/graphs/${at(branchId)}`,
  questions: branchId && `/api/branches/${at(branchId)}/qti`,
  statements: branchId && `/api/branches/${at(branchId)}/xapi`,
});
/**
 * Where flashcards for Anki are, below /api.
 * @param {{ branchId?: string | null, nodeId?: string, due?: boolean }} wanted
 */
export const cardsPath = ({ branchId, nodeId, due }) => {
  const query = new URLSearchParams({
    ...(branchId && { branchId }),
    ...(nodeId && { nodeId }),
    ...(due && { due: "true" }),
  });
  return `/learner/cards.apkg?${query}`;
};
export const ARCHIVE_URL = "/api/learner/archive";

/** @returns {Promise<Memory[]>} */
export const memories = () => request("/memories");
/** @param {string} memoryId @param {string} text @returns {Promise<Memory>} */
export const updateMemory = (memoryId, text) =>
  request(`/memories/${at(memoryId)}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
/** @param {string} memoryId @returns {Promise<null>} */
export const deleteMemory = (memoryId) => request(`/memories/${at(memoryId)}`, { method: "DELETE" });
/** The newest runs of all paths, including turns of lessons. @returns {Promise<Run[]>} */
export const recentRuns = () => request("/runs?limit=20");
/** Delete everything of the learner. @returns {Promise<null>} */
export const deleteEverything = () => request(`/learner?confirm=${at(CONFIRMED)}`, { method: "DELETE" });
