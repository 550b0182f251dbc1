// @ts-check
/** What the settings say, and the choices that this browser keeps. */

import { msOf } from "./format.js";

/** @import { Run } from "./types.d.ts" */

/** @typedef {"system" | "light" | "dark"} Theme */
/** @type {Theme[]} */
export const THEMES = ["system", "light", "dark"];

/** Failures that are the model's, by their code. */
const OF_THE_MODEL = ["rate_limited", "overloaded", "server_error", "unreachable", "cut", "stalled", "bad_request", "bad_key", "no_permission", "no_credit", "unknown_model"];

/** @typedef {{ state: "answered" | "failed" | "unasked", atMs: number, message: string }} Contact */

/** Whether the model answers, as the newest run knows that asked it. @param {Run[]} runs newest first @returns {Contact} */
export function contact(runs) {
  for (const run of runs) {
    const atMs = msOf(run.endedAt ?? run.startedAt ?? run.createdAt);
    if (run.error && OF_THE_MODEL.includes(run.error.code)) return { state: "failed", atMs, message: run.error.message };
    if (run.usage.outputTokens > 0) return { state: "answered", atMs, message: "" };
  }
  return { state: "unasked", atMs: 0, message: "" };
}

/** The theme that was chosen for this browser. @returns {Theme} */
export const chosenTheme = () => /** @type {Theme | undefined} */ (document.documentElement.dataset.theme) ?? "system";

/** Show a theme from now on; `theme.js` keeps it. @param {Theme} theme */
export const chooseTheme = (theme) => dispatchEvent(new CustomEvent("sprout:theme", { detail: theme }));

/** Forget what this browser keeps of a learner: what was begun and not sent. How Sprout looks stays chosen. */
export function forgetDrafts() {
  Object.keys(localStorage).filter((key) => key.startsWith("sprout.draft.")).forEach((key) => localStorage.removeItem(key));
}
