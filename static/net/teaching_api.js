// @ts-check
/** Requests of the diagnostic, the changes and the lesson. */

import { ApiError, post, request } from "./api.js";

/** @import { Answer, Change, ChatMessage, ChatSession, Diagnostic, Lesson, Reply, Run, SelfMark } from "../types.d.ts" */
/** @typedef {"help" | "show" | "change"} Move what is asked for by a button */

const at = encodeURIComponent;

/**
 * The diagnostic of a concept; null while its questions are being made.
 * @param {string} conceptId
 * @returns {Promise<Diagnostic | null>}
 */
export async function diagnostic(conceptId) {
  try {
    return await request(`/agents/concepts/${at(conceptId)}/diagnostic`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 503 && error.passing) return null;
    throw error;
  }
}
/** @param {string} assessmentId @returns {Promise<Answer[]>} */
export const answers = (assessmentId) => request(`/assessments/${at(assessmentId)}/answers`);
/**
 * @param {string} assessmentId
 * @param {string} questionId
 * @param {{ answerText?: string, selectedOption?: string, sure?: boolean }} given
 * @returns {Promise<Answer>}
 */
export const answer = (assessmentId, questionId, given) =>
  post(`/assessments/${at(assessmentId)}/answers`, { questionId, ...given });
/** Skip a question. @param {string} questionId @returns {Promise<Answer>} */
export const skip = (questionId) => post(`/questions/${at(questionId)}/skip`, {});
/**
 * Dispute a question; null if the check takes longer.
 * @param {string} questionId
 * @param {string} reason
 * @returns {Promise<{ outcome?: string | null, says?: string | null }>}
 */
export const contest = (questionId, reason) => post(`/questions/${at(questionId)}/contest`, reason ? { reason } : {});
/**
 * Adapt the path to the answers, once per idempotency key.
 * @param {string} conceptId
 * @param {string} key
 * @returns {Promise<Run>}
 */
export const refine = (conceptId, key) =>
  request(`/agents/concepts/${at(conceptId)}/run?wait=false`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: "{}",
  });

/**
 * The changes under a node, newest first.
 * @param {string} branchId
 * @param {string} parentId
 * @returns {Promise<Change[]>}
 */
export async function changes(branchId, parentId) {
  const all = await request(`/branches/${at(branchId)}/changes?limit=200`);
  return all.filter((/** @type {Change} */ change) => change.parentId === parentId);
}
/** @param {string} changeId @returns {Promise<{ change: Change }>} */
export const undo = (changeId) => post(`/changes/${at(changeId)}/undo`, {});

/** @param {string} nodeId @returns {Promise<ChatSession[]>} */
export const sessions = (nodeId) => request(`/chat/sessions?nodeId=${at(nodeId)}`);
/** @param {string} nodeId @returns {Promise<ChatSession>} */
export const startSession = (nodeId) => post("/chat/sessions", { nodeId });
/** @param {string} sessionId @returns {Promise<ChatMessage[]>} */
export const messages = (sessionId) => request(`/chat/sessions/${at(sessionId)}/messages`);
/** The state of a lesson: its open checkpoint and its progress. @param {string} sessionId @returns {Promise<Lesson>} */
export const lesson = (sessionId) => request(`/chat/sessions/${at(sessionId)}/lesson`);
/**
 * @param {string} sessionId
 * @param {{ content: string, drawing: string | null, move?: Move, selfMark?: SelfMark, sure?: boolean }} said
 * @param {string | null} questionId the question that it is said to
 * @returns {Promise<Reply>}
 */
export const sendMessage = (sessionId, { content, drawing, move, selfMark, sure }, questionId) =>
  post(`/chat/sessions/${at(sessionId)}/tutor`, {
    content,
    ...(drawing && { drawingImageDataUrl: drawing }),
    ...(move && { move }),
    ...(selfMark && { selfMark }),
    ...(sure && { sure }),
    ...(questionId && { questionId }),
  });
/** Address of the drawing that an answer is. @param {string} answerId */
export const drawingUrl = (answerId) => `/api/answers/${at(answerId)}/drawing`;
/** Mark one's own answer of a diagnostic. @param {string} answerId @param {SelfMark} mark @returns {Promise<Answer>} */
export const selfMark = (answerId, mark) => post(`/answers/${at(answerId)}/self-mark`, mark);
