// @ts-check
/** How much of a path was mastered in each of the last eight weeks: a small curve in its row. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { eightWeeks } from "../progress.js";
import * as you from "../you.js";

/** @import { ProgressReport } from "../types.d.ts" */

const WIDE = 96;
const HIGH = 34;
const EDGE = 4;

const report = signal(/** @type {ProgressReport | null} */ (null));
/** The request that is going: all rows wait for the same one. @type {Promise<void> | null} */
let asked = null;

async function ask() {
  try {
    report.value = await you.progress(null);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error; // the home says itself that the server is away
  } finally {
    asked = null;
  }
}

/** @param {{ branchId: string, parts: number }} props `parts`: how many subconcepts the path has */
export function Weeks({ branchId, parts }) {
  useEffect(() => { asked ??= ask(); }, []);
  if (!report.value) return null;
  const points = eightWeeks(report.value, branchId, api.serverNow());
  const mastered = points.map((point) => point.mastered);
  const gained = Math.max(0, mastered[8] - mastered[0]);
  const x = (/** @type {number} */ i) => EDGE + ((WIDE - 2 * EDGE) * i) / 8;
  const y = (/** @type {number} */ n) => Math.round((HIGH - EDGE - ((HIGH - 2 * EDGE) * n) / Math.max(parts, 1)) * 10) / 10;
  const line = mastered.map((n, i) => `${i ? "L" : "M"}${x(i)} ${y(n)}`).join("");
  return html`<svg class="weeks" viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label=${t("paths.gained", { n: gained })}>
    <path class="area" d="${line}V${HIGH - EDGE}H${EDGE}Z" /><path class="line" d=${line} /><circle class="end" cx=${x(8)} cy=${y(mastered[8])} r="3" />
  </svg>`;
}
