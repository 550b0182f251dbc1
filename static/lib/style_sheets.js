// @ts-check
/** Style sheets that are loaded with the screens that need them. */

/** @type {Record<string, Promise<void>>} */
const loading = {};

/**
 * Resolves when a sheet is applied. If it cannot be loaded the screen shows without it, and the next call tries again.
 * @param {string} path below static/
 */
export const loadSheet = (path) =>
  (loading[path] ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(`../${path}`, import.meta.url).href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      delete loading[path];
      resolve();
    };
    document.head.append(link);
  }));
