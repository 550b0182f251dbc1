// @ts-check
/** The style sheets of the screens that the first view does without, fetched with them. */

/** @type {Record<string, Promise<null>>} */
const fetched = {};

/** Resolves when the sheet of that name is in force, so that nothing is shown without it. @param {string} name */
export const sheet = (name) => (fetched[name] ??= new Promise((resolve) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(`../${name}.css`, import.meta.url).href;
  link.onload = link.onerror = () => resolve(null); // without it the words are still there to read
  document.head.append(link);
}));
