// @ts-check
/** Words of what a path leaves out of its documents, fetched with its view. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.notes.js").default} */
const catalogue = await loadCatalogue("notes");

export const t = translator(catalogue);
