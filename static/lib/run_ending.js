// @ts-check
/** Words for a run that ended before its work was done: what happened, and what to do. Pure. */

import { t } from "../i18n/next.js";
import { count, duration, money } from "./format.js";
import { t as common } from "./i18n.js";

/** @import { ReachedLimit, Run } from "../types.d.ts" */
/** @typedef {"limit" | "refusal" | "stuck"} Cause */

/** @param {{ reason: string | null, reachedLimit: ReachedLimit | null }} ended @returns {Cause | null} */
function causeOf({ reason, reachedLimit }) {
  if (reachedLimit) return "limit";
  return reason === "refusal" || reason === "stuck" ? reason : null;
}

/**
 * Why a run or an agent ended before its work was done; null where it did not.
 * @param {{ reason: string | null, reachedLimit: ReachedLimit | null }} ended
 */
export function earlyEnding(ended) {
  const cause = causeOf(ended);
  if (cause === null) return null;
  return ended.reachedLimit ? limitWords(ended.reachedLimit) : t(/** @type {any} */ (`ended.${cause}`));
}

/** What to do about such a run. @param {Run} run */
export function nextWords(run) {
  const cause = causeOf(run);
  return cause && t(run.state === "completed" ? `ended.${cause}_next` : `ended.${cause}_unsaved`);
}

/** @param {ReachedLimit} limit */
function limitWords({ unit, amount }) {
  switch (unit) {
    case "iterations":
      return t("ended.iterations", { n: amount });
    case "tokens":
      return t("ended.tokens", { amount: count(amount) });
    case "usd":
      return t("ended.usd", { amount: money(amount) });
    case "seconds":
      return t("ended.seconds", {
        time: amount < 60 ? duration(amount * 1000) : common("cost.minutes", { n: Math.round(amount / 60) }),
      });
  }
}
