// @ts-check
/** Requests of reviews. */

import { post, request } from "./api.js";

/** @import { RetentionCost, ReviewReply, ReviewSession, ReviewSettings, SelfMark } from "../types.d.ts" */

const at = encodeURIComponent;
/** @param {string} sessionId @param {string} [what] */
const session = (sessionId, what) => `/reviews/sessions/${at(sessionId)}${what ? `/${what}` : ""}`;

/** Start a session, or take up today's. @param {number | null} minutes @returns {Promise<ReviewSession>} */
export const start = (minutes) => post("/reviews/sessions", minutes === null ? {} : { minutes });
/** @param {string} sessionId @returns {Promise<ReviewSession>} */
export const takeUp = (sessionId) => request(session(sessionId));
/**
 * @param {string} sessionId
 * @param {string} itemId
 * @param {{ answerText?: string, selectedOption?: string, seconds: number, sure?: boolean }} given
 * @returns {Promise<ReviewReply>}
 */
export const answer = (sessionId, itemId, given) => post(session(sessionId, "answers"), { itemId, ...given });
/** @param {string} sessionId @param {string} itemId @param {SelfMark} mark @returns {Promise<ReviewReply>} */
export const selfMark = (sessionId, itemId, mark) => post(session(sessionId, "marks"), { itemId, ...mark });
/** @param {string} sessionId @param {string} itemId @param {string} grade @returns {Promise<ReviewReply>} */
export const chooseGrade = (sessionId, itemId, grade) => post(session(sessionId, "grades"), { itemId, grade });
/** @param {string} sessionId @param {string} itemId @returns {Promise<ReviewSession>} */
export const skip = (sessionId, itemId) => post(session(sessionId, "skip"), { itemId });
/** @returns {Promise<ReviewSettings>} */
export const settings = () => request("/reviews/settings");
/** Address of the calendar feed. @param {string} language @param {string} [token] of those who sign in */
export const calendarUrl = (language, token) => {
  const query = new URLSearchParams({
    language: language === "de" ? "de" : "en",
    ...(token && { accessToken: token }),
  });
  return `/api/reviews/calendar.ics?${query}`;
};
/** What each choice of retention takes. @returns {Promise<RetentionCost[]>} */
export const costs = () => request("/reviews/costs");
/** @param {Partial<ReviewSettings>} change @returns {Promise<ReviewSettings>} */
export const changeSettings = (change) =>
  request("/reviews/settings", {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
