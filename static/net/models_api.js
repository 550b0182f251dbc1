// @ts-check
/** Requests about the models of the server. */

import { post } from "./api.js";

/** @import { ProbedModel } from "../types.d.ts" */

/** Test every model in use; the answer takes up to a minute. @returns {Promise<ProbedModel[]>} */
export const probe = () => post("/models/probe", {});
