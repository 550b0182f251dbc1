// @ts-check
/** Leaves of each path's plant that this browser has shown, so that a new one is seen to grow. */

const KEY = "sprout.leaves";

/** Branch → number of leaves; null before the first time. @returns {Record<string, number> | null} */
export function loadSeenLeaves() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null; // written by something else: nothing grows this time
  }
}

/** @param {{ branch: { id: string }, leaves: string }[]} paths */
export function saveSeenLeaves(paths) {
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify(Object.fromEntries(paths.map((one) => [one.branch.id, one.leaves.length]))),
    );
  } catch {
    // storage is full: the leaves grow once more next time
  }
}
