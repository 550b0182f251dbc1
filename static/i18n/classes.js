// @ts-check
/** Words of a teacher's classes, fetched with their screens. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.classes.js").default} */
const catalogue = await loadCatalogue("classes");

export const t = translator(catalogue);
