// @ts-check
/** Words of the diagnostic and the lesson, fetched with their screens. */

import { catalogueOf, reader } from "../i18n.js";

/** @type {typeof import("./en.learn.js").default} */
const catalogue = await catalogueOf("learn");

export const t = reader(catalogue);
