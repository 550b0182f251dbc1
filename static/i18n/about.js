// @ts-check
/** Words of an opened concept and its parts; fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.about.js").default} */
const catalogue = await loadCatalogue("about");

export const t = translator(catalogue);
