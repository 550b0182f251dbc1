// @ts-check
/** The style sheet of the screens that teach, fetched with them. */

const OWN = new URL("../learn.css", import.meta.url).href;

/** Resolves when the sheet is in force, so that nothing is shown without it. */
export const styled = new Promise((resolve) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = OWN;
  link.onload = link.onerror = () => resolve(null); // without it the words are still there to read
  document.head.append(link);
});
