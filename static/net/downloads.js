// @ts-check
/** Files of the server, saved by the browser. */

import { fetchOk } from "./api.js";

const NAMED = /filename="([^"]+)"/;

/** Save the file at an address, under the name that the server gives it. Throws ApiError. @param {string} path */
export async function download(path) {
  const response = await fetchOk(path);
  const name = NAMED.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "";
  const href = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href)); // the click has taken it by then
}
