// @ts-check
/** Words of the courses and of an unknown topic, fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.next.js").default} */
const catalogue = await loadCatalogue("next");

export const t = translator(catalogue);
