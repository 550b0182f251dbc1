// @ts-check
/** Words of runs and their agents beside those of the first view, fetched with the panel that shows a run. */

import { catalogue as first, loadCatalogue, piecesOf, translator } from "../lib/i18n.js";

/** @type {typeof import("./en.run.js").default} */
const later = await loadCatalogue("run");
const catalogue = { ...first, ...later };

/** @typedef {keyof typeof catalogue} Key */

export const t = translator(catalogue);
export const pieces = piecesOf(catalogue);

/** Whether there is such a sentence. @param {string} key @returns {key is Key} */
export const has = (key) => key in catalogue;
