// @ts-check
/** Drafts: input that was not sent, stored in this browser so that a reload or an outage loses nothing. */

/** The draft of the form for a new path. */
export const TOPIC_DRAFT = "topic";

const keyOf = (/** @type {string} */ id) => `sprout.draft.${id}`;

/** @param {string} id of its question or session @returns {string} empty if there is none */
export const loadDraft = (id) => localStorage.getItem(keyOf(id)) ?? "";

/**
 * Store a draft; an empty one is deleted.
 * @param {string} id
 * @param {string} words
 * @returns {boolean} whether it was stored: storage may be full
 */
export function saveDraft(id, words) {
  if (!words) {
    localStorage.removeItem(keyOf(id));
    return true;
  }
  try {
    localStorage.setItem(keyOf(id), words);
    return true;
  } catch {
    return false; // the field still has it
  }
}

/** Delete a draft that was sent. @param {string} id */
export const deleteDraft = (id) => localStorage.removeItem(keyOf(id));
