// @ts-check
/** Words of the courses and of an unknown topic, fetched with their views. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.ways.js").default} */
const catalogue = await loadCatalogue("ways");

export const t = translator(catalogue);
