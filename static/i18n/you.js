// @ts-check
/** Words of the progress and of the settings, fetched with their screens. */

import { reader } from "../i18n.js";
import en from "./en.you.js";

export const t = reader(en);
