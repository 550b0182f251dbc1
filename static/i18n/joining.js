// @ts-check
/** Words of joining classes and of cards, fetched with their screens. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.joining.js").default} */
const catalogue = await loadCatalogue("joining");

export const t = translator(catalogue);
