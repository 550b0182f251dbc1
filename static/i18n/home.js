// @ts-check
/** Words of the list of paths and of the form for a new one; fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.home.js").default} */
const catalogue = await loadCatalogue("home");

export const t = translator(catalogue);
