// @ts-check
/** Words of placements, fetched with their screen. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.placement.js").default} */
const catalogue = await loadCatalogue("placement");

export const t = translator(catalogue);
