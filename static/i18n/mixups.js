// @ts-check
/** Words of mix-ups, fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.mixups.js").default} */
const catalogue = await loadCatalogue("mixups");

export const t = translator(catalogue);
