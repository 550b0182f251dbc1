// @ts-check
/** Every request of the page. A refusal becomes an ApiError with a sentence for a person. */

import { t } from "./i18n.js";

/** @import { Branch, Document, GraphAnswer, NodeRow, PathSummary, Run, Status } from "./types.d.ts" */

const USER = "00000000-0000-0000-0000-000000000000";

export class ApiError extends Error {
  /** @param {number} status 0 where the server was not reached @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** How far the server's clock is ahead of ours, in ms; small differences count as none. */
let aheadMs = 0;
/** The time as the server has it, in ms. */
export const serverNow = () => Date.now() + aheadMs;

/** @param {Response} response */
function noteClock(response) {
  const ahead = Date.parse(response.headers.get("date") ?? "") - Date.now();
  aheadMs = Math.abs(ahead) > 2500 ? ahead : 0;
}

/** @param {string} path @param {RequestInit} [init] @returns {Promise<any>} */
async function request(path, init) {
  let response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new ApiError(0, t("error.network"));
  }
  noteClock(response);
  if (!response.ok) throw new ApiError(response.status, await reasonOf(response));
  return response.status === 204 ? null : response.json();
}

/** @param {Response} response */
async function reasonOf(response) {
  const body = await response.json().catch(() => null); // a proxy's page is not JSON
  return typeof body?.error === "string" ? body.error : t("error.http", { status: response.status });
}

/** @param {string} path @param {object} body */
const post = (path, body) => request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** @returns {Promise<Status>} */
export const status = () => request("/status");
/** @returns {Promise<PathSummary[]>} */
export const paths = () => request(`/branches/summary?userId=${USER}`);
/** @param {string} branchId @returns {Promise<GraphAnswer>} */
export const graph = (branchId) => request(`/branches/${encodeURIComponent(branchId)}/graph`);
/** @param {string} title @returns {Promise<Branch>} */
export const createBranch = (title) => post("/branches", { title, userId: USER });
/** @param {string} branchId @returns {Promise<null>} */
export const deleteBranch = (branchId) => request(`/branches/${encodeURIComponent(branchId)}`, { method: "DELETE" });
/** @param {string} branchId @param {string} title @param {string | null} desc @returns {Promise<NodeRow>} */
export const createRoot = (branchId, title, desc) => post("/nodes", { userId: USER, type: "root", title, branchId, desc });

/** @param {string} rootId @param {File[]} files @returns {Promise<{ uploaded: Document[] }>} */
export function upload(rootId, files) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return request(`/nodes/${encodeURIComponent(rootId)}/documents`, { method: "POST", body: form });
}

/** Start growing, or join the run that is at it. @param {string} rootId @param {boolean} small @returns {Promise<Run>} */
export const grow = (rootId, small) => post(`/agents/topics/${encodeURIComponent(rootId)}/run?wait=false`, { userId: USER, small });
/** @param {string} runId @returns {Promise<Run>} */
export const run = (runId) => request(`/runs/${encodeURIComponent(runId)}`);
/** @param {string} runId @returns {Promise<Run>} */
export const cancel = (runId) => post(`/runs/${encodeURIComponent(runId)}/cancel`, {});
/** @param {string} runId @param {number} after */
export const eventsUrl = (runId, after) => `/api/runs/${encodeURIComponent(runId)}/events${after ? `?after=${after}` : ""}`;
