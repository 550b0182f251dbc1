// @ts-check
/** Requests about a path's documents. */

import { t } from "../lib/i18n.js";
import { ApiError, fetchOk, post, refusalOf, request } from "./api.js";

/** @import { BroughtIn, Document, LeftOut, Passage } from "../types.d.ts" */

const at = encodeURIComponent;

/** @param {string} rootId @returns {Promise<Document[]>} */
export const documents = (rootId) => request(`/nodes/${at(rootId)}/documents`);
/** Extract a document's text again. @param {string} rootId @param {string} id @returns {Promise<Document>} */
export const retryExtraction = (rootId, id) => post(`/nodes/${at(rootId)}/documents/${at(id)}/retry`, {});
/** @param {string} rootId @param {string} id @returns {Promise<null>} */
export const deleteDocument = (rootId, id) => request(`/nodes/${at(rootId)}/documents/${at(id)}`, { method: "DELETE" });
/** The sections of a path's documents that no concept teaches. @param {string} branchId @returns {Promise<LeftOut>} */
export const leftOut = (branchId) => request(`/branches/${at(branchId)}/left-out`);
/**
 * Add a concept on the section of a document that begins here.
 * @param {string} id
 * @param {number} start
 * @param {boolean} small
 * @returns {Promise<BroughtIn>}
 */
export const bringIn = (id, start, small) => post(`/documents/${at(id)}/concepts`, { start, small });
/** Address of the uploaded file. @param {string} id */
export const fileUrl = (id) => `/api/documents/${at(id)}/file`;
/** @param {string} passageId @returns {Promise<Passage>} */
export const passage = (passageId) => request(`/passages/${at(passageId)}`);

/**
 * Passages after or before one, or from the start, and whether there are more in that direction.
 * @param {string} id
 * @param {{ after?: string, before?: string, limit: number }} place
 * @returns {Promise<{ passages: Passage[], more: boolean }>}
 */
export async function passagesAt(id, { after, before, limit }) {
  const query = new URLSearchParams({ limit: String(limit), ...(after && { after }), ...(before && { before }) });
  const response = await fetchOk(`/documents/${at(id)}/passages?${query}`);
  const onward = before ? /rel="prev"/ : /rel="next"/;
  return { passages: await response.json(), more: onward.test(response.headers.get("link") ?? "") };
}

/**
 * Upload files to a path. `onSent` gets the share of bytes sent, which fetch does not report.
 * @param {string} rootId
 * @param {File[]} files
 * @param {(share: number) => void} onSent
 * @returns {Promise<{ uploaded: Document[] }>}
 */
export function upload(rootId, files, onSent) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `/api/nodes/${at(rootId)}/documents`);
    sending.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onSent(loaded / total);
    };
    sending.onerror = () => reject(new ApiError(0, t("error.network")));
    sending.onload = async () => {
      const response = new Response(sending.responseText, { status: sending.status });
      if (response.ok) resolve(await response.json());
      else reject(await refusalOf(response));
    };
    sending.send(form);
  });
}
