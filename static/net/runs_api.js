// @ts-check
/** Requests about runs that have stopped or wait for a person, and the history of a path's runs. */

import { fetchOk, post } from "./api.js";

/** @import { Run } from "../types.d.ts" */

const at = encodeURIComponent;

/** Continue a run that was cut off. @param {string} runId @returns {Promise<Run>} */
export const resume = (runId) => post(`/runs/${at(runId)}/resume`, {});
/** Start a run's work over. @param {string} runId @returns {Promise<Run>} the new run */
export const retry = (runId) => post(`/runs/${at(runId)}/retry`, {});
/** Remove a run from the lists; what it saved stays. @param {string} runId @returns {Promise<Run>} */
export const discard = (runId) => post(`/runs/${at(runId)}/discard`, {});
/**
 * Answer a run's question.
 * @param {string} runId
 * @param {string} answer
 * @param {string} [result] the result of a call in doubt, if known
 * @returns {Promise<Run>}
 */
export const answer = (runId, answer, result) =>
  post(`/runs/${at(runId)}/answer`, result ? { answer, result } : { answer });

const RUNS_PER_PAGE = 20;
/**
 * Root runs of a path, newest first, older than `before`.
 * @param {string} branchId
 * @param {string | null} before
 * @returns {Promise<{ runs: Run[], more: boolean }>}
 */
export async function runs(branchId, before) {
  const query = new URLSearchParams({ branchId, limit: String(RUNS_PER_PAGE), ...(before && { before }) });
  const response = await fetchOk(`/runs?${query}`);
  return { runs: await response.json(), more: /rel="?next"?/.test(response.headers.get("link") ?? "") };
}
