// @ts-check
/** Words of signing in and of the account's settings, fetched with their screens. */

import { loadCatalogue, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.account.js").default} */
const catalogue = await loadCatalogue("account");

export const t = translator(catalogue);
