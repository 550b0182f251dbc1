// @ts-check
/** Every request of the page. A refusal becomes an ApiError with a sentence for a person. */

import { t } from "./i18n.js";

/** @import { Branch, Document, GraphAnswer, NodeRow, NodeSources, PathSummary, Run, RunDetail, Status } from "./types.d.ts" */

export const USER = "00000000-0000-0000-0000-000000000000";

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
export async function request(path, init) {
  const response = await answered(path, init);
  return response.status === 204 ? null : response.json();
}

/** The answer where it is a good one. Throws ApiError. @param {string} path @param {RequestInit} [init] */
export async function answered(path, init) {
  let response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new ApiError(0, t("error.network"));
  }
  noteClock(response);
  if (!response.ok) throw new ApiError(response.status, await reasonOf(response));
  return response;
}

/** @param {Response} response */
async function reasonOf(response) {
  const body = await response.json().catch(() => null); // a proxy's page is not JSON
  return typeof body?.error === "string" ? body.error : t("error.http", { status: response.status });
}

/** @param {string} path @param {object} body */
export const post = (path, body) => request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

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

/**
 * Send files to a path; `onSent` is told which share of the bytes has gone, which a fetch does not say.
 * @param {string} rootId @param {File[]} files @param {(share: number) => void} onSent @returns {Promise<{ uploaded: Document[] }>}
 */
export function upload(rootId, files, onSent) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `/api/nodes/${encodeURIComponent(rootId)}/documents`);
    sending.upload.onprogress = ({ loaded, total, lengthComputable }) => { if (lengthComputable) onSent(loaded / total); };
    sending.onerror = () => reject(new ApiError(0, t("error.network")));
    sending.onload = async () => {
      const response = new Response(sending.responseText, { status: sending.status });
      if (response.ok) resolve(await response.json());
      else reject(new ApiError(response.status, await reasonOf(response)));
    };
    sending.send(form);
  });
}

/** Start growing, or join the run that is at it. @param {string} rootId @param {boolean} small @returns {Promise<Run>} */
export const grow = (rootId, small) => post(`/agents/topics/${encodeURIComponent(rootId)}/run?wait=false`, { userId: USER, small });
/** @param {string} branchId @returns {Promise<Branch>} */
export const branch = (branchId) => request(`/branches/${encodeURIComponent(branchId)}`);
/** @param {string} nodeId @returns {Promise<NodeRow>} */
export const node = (nodeId) => request(`/nodes/${encodeURIComponent(nodeId)}`);
/** What of the notes a node teaches from. @param {string} nodeId @returns {Promise<NodeSources>} */
export const sources = (nodeId) => request(`/nodes/${encodeURIComponent(nodeId)}/sources`);
/** @param {string} runId @returns {Promise<RunDetail>} */
export const run = (runId) => request(`/runs/${encodeURIComponent(runId)}`);
/** @param {string} runId @returns {Promise<Run>} */
export const cancel = (runId) => post(`/runs/${encodeURIComponent(runId)}/cancel`, {});
/** Go on with a run that was cut off. @param {string} runId @returns {Promise<Run>} */
export const resume = (runId) => post(`/runs/${encodeURIComponent(runId)}/resume`, {});
/** Begin anew what a run was to do. @param {string} runId @returns {Promise<Run>} the new run */
export const retry = (runId) => post(`/runs/${encodeURIComponent(runId)}/retry`, {});
/** Take a run off the lists; what it saved is kept. @param {string} runId @returns {Promise<Run>} */
export const discard = (runId) => post(`/runs/${encodeURIComponent(runId)}/discard`, {});
/** Answer what a run asks. @param {string} runId @param {string} answer @param {string} [result] what a call in doubt gave, as the person knows it @returns {Promise<Run>} */
export const answer = (runId, answer, result) => post(`/runs/${encodeURIComponent(runId)}/answer`, result ? { answer, result } : { answer });

const RUNS_PER_PAGE = 20;
/** Root runs of a path, newest first, older than `before`. @param {string} branchId @param {string | null} before @returns {Promise<{ runs: Run[], more: boolean }>} */
export async function runs(branchId, before) {
  const query = new URLSearchParams({ branchId, limit: String(RUNS_PER_PAGE), ...(before && { before }) });
  const response = await answered(`/runs?${query}`);
  return { runs: await response.json(), more: /rel="?next"?/.test(response.headers.get("link") ?? "") };
}

/** @param {string} runId @param {number} after */
export const eventsUrl = (runId, after) => `/api/runs/${encodeURIComponent(runId)}/events${after ? `?after=${after}` : ""}`;
/** @param {string} after `root:number,root:number` @param {boolean} [follow] whether it goes on with what comes */
export function tabUrl(after, follow = true) {
  const query = [...(after ? [`after=${encodeURIComponent(after)}`] : []), ...(follow ? [] : ["follow=false"])];
  return `/api/events${query.length ? `?${query.join("&")}` : ""}`;
}

/** Whether a stream is refused since there are too many: how long to wait, in ms; null for any other reason. @param {string} url */
export async function tooMany(url) {
  const given = new AbortController();
  try {
    const { status, headers } = await fetch(url, { signal: given.signal });
    return status === 429 ? 1000 * (Number(headers.get("retry-after")) || 10) : null;
  } catch {
    return null; // the server is away: the stream tries again by itself
  } finally {
    given.abort();
  }
}
