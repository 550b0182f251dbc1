// @ts-check
/** Requests about topics of which there is no path yet. */

import { ApiError, post } from "./api.js";

/** @import { Course } from "../types.d.ts" */

/**
 * The courses to choose from where the model knows nothing about the topic; null if it can make a path of it.
 * @param {string} title
 * @returns {Promise<Course[] | null>}
 */
export async function alternatives(title) {
  try {
    await post("/topics/check", { title });
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.body.code === "unknown_topic") return error.body.courses;
    throw error;
  }
}
