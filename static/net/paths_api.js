// @ts-check
/** Requests that list, create and delete paths, and that read their nodes. */

import { post, request } from "./api.js";

/** @import { Branch, NextAction, NodeRow, NodeSources, PathSummary } from "../types.d.ts" */

const at = encodeURIComponent;

/** @returns {Promise<PathSummary[]>} */
export const paths = () => request("/branches/summary");
/** @param {string} title @returns {Promise<Branch>} */
export const createBranch = (title) => post("/branches", { title });
/** @param {string} branchId @returns {Promise<null>} */
export const deleteBranch = (branchId) => request(`/branches/${at(branchId)}`, { method: "DELETE" });
/** @param {string} branchId @param {string} title @param {string | null} desc @returns {Promise<NodeRow>} */
export const createRoot = (branchId, title, desc) => post("/nodes", { type: "root", title, branchId, desc });
/** @param {string} nodeId @returns {Promise<NodeRow>} */
export const node = (nodeId) => request(`/nodes/${at(nodeId)}`);
/**
 * What comes next, over all paths, in one, or in one of its concepts.
 * @param {{ branchId?: string, nodeId?: string }} within
 * @returns {Promise<NextAction>}
 */
export const nextAction = (within) => request(`/next?${new URLSearchParams(within)}`);
/** The passages that a node teaches from. @param {string} nodeId @returns {Promise<NodeSources>} */
export const sources = (nodeId) => request(`/nodes/${at(nodeId)}/sources`);
