// @ts-check
/** Topic that the model knows nothing about: what was asked, and the courses to choose from. Pure. */

import { requestOf } from "../lib/file_selection.js";

/** @import { Course } from "../types.d.ts" */
/** @typedef {{ topic: string, courses: Course[] }} UnknownTopic */

/**
 * The refusal while it still holds: other words are another topic, and with notes any topic can be learned.
 * @param {UnknownTopic | null} refusal
 * @param {string} words
 * @param {{ name: string, size: number }[]} files
 */
export const standing = (refusal, words, files) =>
  refusal && !files.length && requestOf(words, []).title === refusal.topic ? refusal : null;

/**
 * The courses that are listed at first: the near ones or, if none is, the first of all.
 * @param {Course[]} courses
 * @param {number} most
 */
export function listedFirst(courses, most) {
  const near = courses.filter((each) => each.near);
  return (near.length ? near : courses).slice(0, most);
}
