// @ts-check
/** Requests about question files. */

import { request } from "./api.js";

/** @import { ImportedQuestions } from "../types.d.ts" */

/**
 * Add the questions of files to a concept or to a part of one.
 * @param {string} nodeId
 * @param {File[]} files
 * @returns {Promise<ImportedQuestions>}
 */
export function importQuestions(nodeId, files) {
  const body = new FormData();
  for (const file of files) body.append("files", file);
  return request(`/nodes/${encodeURIComponent(nodeId)}/questions/import`, { method: "POST", body });
}
