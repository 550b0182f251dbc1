// @ts-check
/** Words of reading aloud and of dictation, fetched with their buttons. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.aloud.js").default} */
const catalogue = await loadCatalogue("aloud");

export const t = translator(catalogue);
