// @ts-check
/** Words of a teacher's desk, of concerns and of shared lessons, fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.desk.js").default} */
const catalogue = await loadCatalogue("desk");

export const t = translator(catalogue);
