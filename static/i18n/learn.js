// @ts-check
/** Words of the diagnostic and the lesson, fetched with their screens. */

import { reader } from "../i18n.js";
import en from "./en.learn.js";

export const t = reader(en);
