// @ts-check
/** The requests about a path's documents. */

import { answered, post, request } from "./api.js";

/** @import { Document, Passage } from "./types.d.ts" */

const at = encodeURIComponent;

/** @param {string} rootId @returns {Promise<Document[]>} */
export const documents = (rootId) => request(`/nodes/${at(rootId)}/documents`);
/** Have a document read again. @param {string} rootId @param {string} id @returns {Promise<Document>} */
export const readAgain = (rootId, id) => post(`/nodes/${at(rootId)}/documents/${at(id)}/retry`, {});
/** @param {string} rootId @param {string} id @returns {Promise<null>} */
export const remove = (rootId, id) => request(`/nodes/${at(rootId)}/documents/${at(id)}`, { method: "DELETE" });
/** Where a document is as it was uploaded. @param {string} id */
export const fileUrl = (id) => `/api/documents/${at(id)}/file`;
/** @param {string} passageId @returns {Promise<Passage>} */
export const passage = (passageId) => request(`/passages/${at(passageId)}`);

/**
 * A piece of a document, next to a passage or from its start, and whether it goes on in that direction.
 * @param {string} id @param {{ after?: string, before?: string, limit: number }} place @returns {Promise<{ passages: Passage[], more: boolean }>}
 */
export async function piece(id, { after, before, limit }) {
  const query = new URLSearchParams({ limit: String(limit), ...(after && { after }), ...(before && { before }) });
  const response = await answered(`/documents/${at(id)}/passages?${query}`);
  const onward = before ? /rel="prev"/ : /rel="next"/;
  return { passages: await response.json(), more: onward.test(response.headers.get("link") ?? "") };
}
