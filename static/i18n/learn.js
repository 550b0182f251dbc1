// @ts-check
/** Words of the diagnostic and the lesson, fetched with their screens. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.learn.js").default} */
const catalogue = await loadCatalogue("learn");

export const t = translator(catalogue);
