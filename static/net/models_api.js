// @ts-check
/** Requests about the models of the server. */

import { post, put, request } from "./api.js";

/** @import { ProbedModel } from "../types.d.ts" */

/** Test every model in use; the answer takes up to a minute. @returns {Promise<ProbedModel[]>} */
export const probe = () => post("/models/probe", {});

/** Keep a key, to be used from the next start on. @param {string} key @returns {Promise<null>} */
export const keepKey = (key) => put("/model-key", { key });

/** Remove the key that is kept. @returns {Promise<null>} */
export const removeKey = () => request("/model-key", { method: "DELETE" });
