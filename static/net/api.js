// @ts-check
/** Requests to the server. A refusal becomes an ApiError whose message can be shown. */

import { t } from "../lib/i18n.js";
import { fetchSentence } from "../lib/server_words.js";
import { isSignedOut } from "./signed_out.js";

/** @import { Branch, Caller, GraphAnswer, Place, ReviewsDue, Run, RunDetail, Status } from "../types.d.ts" */

const SIGN_IN_FIRST = "not_signed_in";

export class ApiError extends Error {
  /**
   * @param {number} status 0 where the server was not reached
   * @param {string} message
   * @param {boolean} [passing] whether the server said when to try again
   * @param {Record<string, any>} [body] the answer
   */
  constructor(status, message, passing = false, body = {}) {
    super(message);
    this.status = status;
    this.passing = passing;
    this.body = body;
  }
}

/** Offset of the server's clock, in ms; small differences count as none. */
let aheadMs = 0;
/** The server's time, in ms. */
export const serverNow = () => Date.now() + aheadMs;

/** @param {Response} response */
function syncClock(response) {
  const ahead = Date.parse(response.headers.get("date") ?? "") - Date.now();
  aheadMs = Math.abs(ahead) > 2500 ? ahead : 0;
}

/** @param {string} path @param {RequestInit} [init] @returns {Promise<any>} */
export async function request(path, init) {
  const response = await fetchOk(path, init);
  return response.status === 204 ? null : response.json();
}

/** The response of a successful request. Throws ApiError. @param {string} path @param {RequestInit} [init] */
export async function fetchOk(path, init) {
  let response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new ApiError(0, t("error.network"));
  }
  syncClock(response);
  if (response.ok) return response;
  const refusal = await refusalOf(response);
  if (refusal.body.code === SIGN_IN_FIRST) isSignedOut.value = true;
  throw refusal;
}

/** The refusal that a response is, in the page's language. @param {Response} response */
export async function refusalOf(response) {
  const { status } = response;
  /** @type {Record<string, any>} */
  const body = (await response.json().catch(() => null)) ?? {}; // empty for a proxy's error page
  const { code, params, error: message } = body;
  const words = typeof message === "string" ? fetchSentence({ code, params, message }) : t("error.http", { status });
  return new ApiError(status, await words, response.headers.has("retry-after"), body);
}

/** @param {string} path @param {object} body */
export const post = (path, body) => send("POST", path, body);
/** @param {string} path @param {object} body */
export const put = (path, body) => send("PUT", path, body);

/** @param {string} method @param {string} path @param {object} body */
export const send = (method, path, body) =>
  request(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Who calls, and with which rights. @returns {Promise<Caller>} */
export const caller = () => request("/account");
/** What is due for review, over all paths. @returns {Promise<ReviewsDue>} */
export const reviewsDue = () => request("/reviews/due");
/** @returns {Promise<Status>} */
export const status = () => request("/status");
/** @param {string} branchId @returns {Promise<GraphAnswer>} */
export const graph = (branchId) => request(`/branches/${encodeURIComponent(branchId)}/graph`);

/** Store where nodes stand on the map. @param {string} branchId @param {Record<string, Place>} places */
export const keepPlaces = (branchId, places) =>
  send("PATCH", `/branches/${encodeURIComponent(branchId)}/places`, { places });

/**
 * Start the run that grows a path, or join the active one.
 * @param {string} rootId
 * @param {boolean} small
 * @returns {Promise<Run>}
 */
export const grow = (rootId, small) => post(`/agents/topics/${encodeURIComponent(rootId)}/run?wait=false`, { small });
/** @param {string} branchId @returns {Promise<Branch>} */
export const branch = (branchId) => request(`/branches/${encodeURIComponent(branchId)}`);
/** @param {string} runId @returns {Promise<RunDetail>} */
export const run = (runId) => request(`/runs/${encodeURIComponent(runId)}`);
/** @param {string} runId @returns {Promise<Run>} */
export const cancel = (runId) => post(`/runs/${encodeURIComponent(runId)}/cancel`, {});

/** @param {string} runId @param {number} after */
export const eventsUrl = (runId, after) =>
  `/api/runs/${encodeURIComponent(runId)}/events${after ? `?after=${after}` : ""}`;
/** @param {string} after `root:number,root:number` @param {boolean} [follow] whether it goes on with what comes */
export function tabUrl(after, follow = true) {
  const query = [...(after ? [`after=${encodeURIComponent(after)}`] : []), ...(follow ? [] : ["follow=false"])];
  return `/api/events${query.length ? `?${query.join("&")}` : ""}`;
}

/**
 * How long to wait before a stream that was refused with 429 is tried again, in ms; null for any other status.
 * @param {string} url
 */
export async function retryAfterMs(url) {
  const given = new AbortController();
  try {
    const { status, headers } = await fetch(url, { signal: given.signal });
    isSignedOut.value ||= status === 401;
    return status === 429 ? 1000 * (Number(headers.get("retry-after")) || 10) : null;
  } catch {
    return null; // unreachable: the stream tries again by itself
  } finally {
    given.abort();
  }
}
