// @ts-check
/** Words of the people page, fetched with it. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.people.js").default} */
const catalogue = await loadCatalogue("people");

export const t = translator(catalogue);
