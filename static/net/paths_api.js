// @ts-check
/** Requests that list, create and delete paths, and that read their nodes. */

import { ApiError, USER, post, request } from "./api.js";

/** @import { Branch, Course, NodeRow, NodeSources, PathSummary } from "../types.d.ts" */

const at = encodeURIComponent;

/** @returns {Promise<PathSummary[]>} */
export const paths = () => request(`/branches/summary?userId=${USER}`);
/**
 * The courses to choose from where the model knows nothing about the topic; null if it can make a path of it.
 * @param {string} title
 * @returns {Promise<Course[] | null>}
 */
export async function alternatives(title) {
  try {
    await post("/topics/check", { title, userId: USER });
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.body.code === "unknown_topic") return error.body.courses;
    throw error;
  }
}
/** @param {string} title @returns {Promise<Branch>} */
export const createBranch = (title) => post("/branches", { title, userId: USER });
/** @param {string} branchId @returns {Promise<null>} */
export const deleteBranch = (branchId) => request(`/branches/${at(branchId)}`, { method: "DELETE" });
/** @param {string} branchId @param {string} title @param {string | null} desc @returns {Promise<NodeRow>} */
export const createRoot = (branchId, title, desc) =>
  post("/nodes", { userId: USER, type: "root", title, branchId, desc });
/** @param {string} nodeId @returns {Promise<NodeRow>} */
export const node = (nodeId) => request(`/nodes/${at(nodeId)}`);
/** The passages that a node teaches from. @param {string} nodeId @returns {Promise<NodeSources>} */
export const sources = (nodeId) => request(`/nodes/${at(nodeId)}/sources`);
