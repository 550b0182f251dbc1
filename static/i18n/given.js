// @ts-check
/** Words of paths that teachers have given, fetched with the first of them. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.given.js").default} */
const catalogue = await loadCatalogue("given");

export const t = translator(catalogue);
