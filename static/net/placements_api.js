// @ts-check
/** Requests of placements. */

import { post, request } from "./api.js";

/** @import { PlacementOverview, PlacementSession } from "../types.d.ts" */

const at = encodeURIComponent;
/** @param {string} id @param {string} [what] */
const placement = (id, what) => `/placements/${at(id)}${what ? `/${what}` : ""}`;

/** @param {string} branchId @returns {Promise<PlacementOverview>} */
export const overview = (branchId) => request(`/branches/${at(branchId)}/placement`);
/**
 * Start a placement of a path or a check of a node, or take up the open one.
 * @param {{ branchId: string } | { nodeId: string }} of
 * @returns {Promise<PlacementSession>}
 */
export const start = (of) => post("/placements", of);
/** @param {string} id @returns {Promise<PlacementSession>} */
export const takeUp = (id) => request(placement(id));
/**
 * @param {string} id
 * @param {string} itemId
 * @param {{ answerText?: string, selectedOption?: string }} given neither is "I don't know"
 * @returns {Promise<PlacementSession>}
 */
export const answer = (id, itemId, { answerText, selectedOption }) =>
  post(placement(id, "answers"), { itemId, answerText, selectedOption });
/** @param {string} id @param {string} itemId @returns {Promise<PlacementSession>} */
export const skip = (id, itemId) => post(placement(id, "skip"), { itemId });
/** @param {string} id @returns {Promise<PlacementSession>} */
export const finish = (id) => post(placement(id, "finish"), {});
/** @param {string} id @param {string} nodeId @param {boolean} known @returns {Promise<PlacementSession>} */
export const overrule = (id, nodeId, known) => post(placement(id, "overrules"), { nodeId, known });
