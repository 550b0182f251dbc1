// @ts-check
/** Requests about a teacher's desk, concerns and shared lessons, and about what teachers have decided. */

import { post, request } from "./api.js";

/**
 * @import {
 *   Concerns, Decision, DeskDecision, DeskLearner, DeskPage, JoinedClass, LessonShare, SchoolClass,
 *   SharedLesson, SharedMessage
 * } from "../types.d.ts"
 */

const at = encodeURIComponent;
/** @param {string} classId @param {string} itemId */
const item = (classId, itemId) => `/classes/${at(classId)}/desk/${at(itemId)}`;
/** @param {string} sessionId */
const share = (sessionId) => `/chat/sessions/${at(sessionId)}/share`;

/** @param {string} classId @returns {Promise<SchoolClass>} */
export const classOf = (classId) => request(`/classes/${at(classId)}`);
/** @param {string} classId @returns {Promise<DeskPage>} */
export const desk = (classId) => request(`/classes/${at(classId)}/desk`);
/** @param {string} classId @param {string} itemId @returns {Promise<DeskLearner>} */
export const learner = (classId, itemId) => request(`${item(classId, itemId)}/learner`);
/** @param {string} classId @param {string} itemId */
export const drawingUrl = (classId, itemId) => `/api${item(classId, itemId)}/drawing`;
/** @param {string} classId @param {string} itemId @param {Decision} decision @returns {Promise<DeskDecision>} */
export const decide = (classId, itemId, decision) => post(item(classId, itemId), { decision });
/** @param {string} classId @param {string} itemId */
export const undo = (classId, itemId) => request(item(classId, itemId), { method: "DELETE" });

/** @param {string} classId @returns {Promise<Concerns>} */
export const concerns = (classId) => request(`/classes/${at(classId)}/concerns`);
/** @param {string} classId @param {string} concernId */
export const markConcernSeen = (classId, concernId) =>
  post(`/classes/${at(classId)}/concerns/${at(concernId)}/seen`, {});

/** @param {string} classId @returns {Promise<SharedLesson[]>} */
export const sharedLessons = (classId) => request(`/classes/${at(classId)}/shared`);
/** @param {string} classId @param {string} sessionId @returns {Promise<SharedMessage[]>} */
export const sharedMessages = (classId, sessionId) => request(`/classes/${at(classId)}/shared/${at(sessionId)}`);

/** @returns {Promise<JoinedClass[]>} */
export const joinedClasses = () => request("/account/classes");
/** @param {string} sessionId @returns {Promise<LessonShare | null>} */
export const shareOf = (sessionId) => request(share(sessionId));
/** @param {string} sessionId @param {string} classId @returns {Promise<LessonShare>} */
export const shareWith = (sessionId, classId) => post(share(sessionId), { classId });
/** @param {string} sessionId */
export const stopSharing = (sessionId) => request(share(sessionId), { method: "DELETE" });
