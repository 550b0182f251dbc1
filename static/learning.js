// @ts-check
/** The requests of the diagnostic, the changes and the lesson. */

import { ApiError, USER, post, request } from "./api.js";

/** @import { Answer, Change, ChatMessage, ChatSession, Diagnostic, Lesson, Reply, Run } from "./types.d.ts" */

const at = encodeURIComponent;

/** The diagnostic of a concept; null while it has none. @param {string} conceptId @returns {Promise<Diagnostic | null>} */
export const diagnostic = (conceptId) => orNull(request(`/agents/concepts/${at(conceptId)}/diagnostic?userId=${USER}`));
/** @param {string} assessmentId @returns {Promise<Answer[]>} */
export const answers = (assessmentId) => request(`/assessments/${at(assessmentId)}/answers?userId=${USER}`);
/** @param {string} assessmentId @param {string} questionId @param {{ answerText?: string, selectedOption?: string }} given @returns {Promise<Answer>} */
export const answer = (assessmentId, questionId, given) => post(`/assessments/${at(assessmentId)}/answers`, { userId: USER, questionId, ...given });
/** Leave a question out. @param {string} questionId @returns {Promise<Answer>} */
export const skip = (questionId) => post(`/questions/${at(questionId)}/skip`, { userId: USER });
/** Say that a question is wrong; null where looking at it again takes longer. @param {string} questionId @param {string} reason @returns {Promise<{ outcome?: string | null, says?: string | null }>} */
export const contest = (questionId, reason) => post(`/questions/${at(questionId)}/contest`, { userId: USER, ...(reason && { reason }) });
/** Have the path fitted to the answers: once for each key, whoever asks again. @param {string} conceptId @param {string} key @returns {Promise<Run>} */
export const refine = (conceptId, key) => request(`/agents/concepts/${at(conceptId)}/run?wait=false`, {
  method: "POST", headers: { "content-type": "application/json", "idempotency-key": key }, body: JSON.stringify({ userId: USER }),
});

/** The changes under a node, newest first. @param {string} branchId @param {string} parentId @returns {Promise<Change[]>} */
export async function changes(branchId, parentId) {
  const all = await request(`/branches/${at(branchId)}/changes?limit=200`);
  return all.filter((/** @type {Change} */ change) => change.parentId === parentId);
}
/** @param {string} changeId @returns {Promise<{ change: Change }>} */
export const undo = (changeId) => post(`/changes/${at(changeId)}/undo`, {});

/** @param {string} nodeId @returns {Promise<ChatSession[]>} */
export const sessions = (nodeId) => request(`/chat/sessions?userId=${USER}&nodeId=${at(nodeId)}`);
/** Of all nodes, the oldest first. @returns {Promise<ChatSession[]>} */
export const allSessions = () => request(`/chat/sessions?userId=${USER}`);
/** @param {string} nodeId @returns {Promise<ChatSession>} */
export const beginSession = (nodeId) => post("/chat/sessions", { userId: USER, nodeId });
/** @param {string} sessionId @returns {Promise<ChatMessage[]>} */
export const messages = (sessionId) => request(`/chat/sessions/${at(sessionId)}/messages`);
/** What is open in a lesson and how far it has come. @param {string} sessionId @returns {Promise<Lesson>} */
export const lesson = (sessionId) => request(`/chat/sessions/${at(sessionId)}/lesson`);
/** @param {string} sessionId @param {string} content @param {string | null} drawing a data URL @returns {Promise<Reply>} */
export const say = (sessionId, content, drawing) => post(`/chat/sessions/${at(sessionId)}/tutor`, { userId: USER, content, ...(drawing && { drawingImageDataUrl: drawing }) });

/** @template T @param {Promise<T>} asked @returns {Promise<T | null>} */
async function orNull(asked) {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
