// @ts-check
/** Words beside the text of documents: their footnotes, and what a path leaves out; fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.notes.js").default} */
const catalogue = await loadCatalogue("notes");

export const t = translator(catalogue);
