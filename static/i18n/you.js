// @ts-check
/** Words of the progress and of the settings, fetched with their screens. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.you.js").default} */
const catalogue = await loadCatalogue("you");

export const t = translator(catalogue);
