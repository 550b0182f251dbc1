// @ts-check
/** Words of question files, fetched with their view. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.questions.js").default} */
const catalogue = await loadCatalogue("questions");

export const t = translator(catalogue);
