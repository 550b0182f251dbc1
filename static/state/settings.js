// @ts-check
/** Settings: the model's last contact, and the choices that this browser stores. */

import { parseMs } from "../lib/format.js";

/** @import { Run } from "../types.d.ts" */

/** @typedef {"system" | "light" | "dark"} Theme */
/** @type {Theme[]} */
export const THEMES = ["system", "light", "dark"];

/** Error codes that are the model's. */
const MODEL_ERRORS = [
  "rate_limited",
  "retry_later",
  "overloaded",
  "server_error",
  "unreachable",
  "reading",
  "repeating",
  "no_tool_calls",
  "cut",
  "stalled",
  "bad_request",
  "bad_key",
  "no_permission",
  "no_credit",
  "unknown_model",
];

/** @typedef {{ state: "answered" | "failed" | "unasked", atMs: number, error?: Run["error"] }} Contact */

/**
 * Whether the model answers, according to the newest run that called it.
 * @param {Run[]} runs newest first
 * @returns {Contact}
 */
export function modelContact(runs) {
  for (const run of runs) {
    const atMs = parseMs(run.endedAt ?? run.startedAt ?? run.createdAt);
    if (run.error && MODEL_ERRORS.includes(run.error.code)) return { state: "failed", atMs, error: run.error };
    if (run.usage.outputTokens > 0) return { state: "answered", atMs };
  }
  return { state: "unasked", atMs: 0 };
}

/** The theme chosen in this browser. @returns {Theme} */
export const chosenTheme = () => /** @type {Theme | undefined} */ (document.documentElement.dataset.theme) ?? "system";

/** Choose a theme; `theme.js` applies and stores it. @param {Theme} theme */
export const chooseTheme = (theme) => dispatchEvent(new CustomEvent("sprout:theme", { detail: theme }));

/** Delete the drafts of this browser. Theme and language stay. */
export function clearDrafts() {
  Object.keys(localStorage)
    .filter((key) => key.startsWith("sprout.draft."))
    .forEach((key) => localStorage.removeItem(key));
}
