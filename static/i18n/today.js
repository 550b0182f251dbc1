// @ts-check
/** Words of the day, fetched with its screen. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.today.js").default} */
const catalogue = await loadCatalogue("today");

export const t = translator(catalogue);
