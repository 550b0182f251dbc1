// @ts-check
/** Words of the progress and of the settings, fetched with their screens. */

import { catalogueOf, reader } from "../i18n.js";

/** @type {typeof import("./en.you.js").default} */
const catalogue = await catalogueOf("you");

export const t = reader(catalogue);
