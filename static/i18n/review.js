// @ts-check
/** Words of reviews, fetched with their screen. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.review.js").default} */
const catalogue = await loadCatalogue("review");

export const t = translator(catalogue);
