// @ts-check
/** What was begun and not sent: kept in this browser until it was taken, so that a reload or a lost server costs no word. */

const place = (/** @type {string} */ id) => `sprout.draft.${id}`;

/** @param {string} id of what it is for @returns {string} empty where nothing was begun */
export const draftOf = (id) => localStorage.getItem(place(id)) ?? "";

/** Keep it; nothing is kept of nothing. @param {string} id @param {string} words @returns {boolean} whether it is kept: a browser may have no room */
export function keepDraft(id, words) {
  if (!words) { localStorage.removeItem(place(id)); return true; }
  try {
    localStorage.setItem(place(id), words);
    return true;
  } catch {
    return false; // it still stands in its field
  }
}

/** It was taken. @param {string} id */
export const dropDraft = (id) => localStorage.removeItem(place(id));
