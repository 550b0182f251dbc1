// @ts-check
/** Style sheets that the first view does without, fetched with what needs them. */

/** @type {Record<string, Promise<void>>} */
const fetched = {};

/**
 * Resolves when a sheet is in force, so that nothing is shown without it; where it cannot be had the words are still there to read,
 * and the next who needs it asks again.
 * @param {string} path below static/
 */
export const sheet = (path) => (fetched[path] ??= new Promise((resolve) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(path, import.meta.url).href;
  link.onload = () => resolve();
  link.onerror = () => { link.remove(); delete fetched[path]; resolve(); };
  document.head.append(link);
}));
