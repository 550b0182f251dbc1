// @ts-check
/** Reading aloud and dictation, loaded once the screens that offer them are there. */

import { lazy } from "./lazy.js";

export const ReadAloud = lazy(async () => (await import("./read_aloud.js")).ReadAloud).View;
export const Dictate = lazy(async () => (await import("./dictate.js")).Dictate).View;
