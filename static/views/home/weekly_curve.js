// @ts-check
/** Sparkline of how much of a path is learned, over the last eight weeks. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/home.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { lastEightWeeks } from "../../state/progress.js";

/** @import { ProgressReport } from "../../types.d.ts" */

const WIDE = 96;
const HIGH = 34;
const EDGE = 4;

const report = signal(/** @type {ProgressReport | null} */ (null));
/** The pending request, which all rows share. @type {Promise<void> | null} */
let asked = null;

async function ask() {
  try {
    report.value = await learnerApi.progress(null);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error; // the home itself reports the outage
  } finally {
    asked = null;
  }
}

/** @param {{ branchId: string, parts: number }} props `parts`: number of subconcepts of the path */
export function WeeklyCurve({ branchId, parts }) {
  useEffect(() => {
    asked ??= ask();
  }, []);
  if (!report.value) return null;
  const points = lastEightWeeks(report.value, branchId, api.serverNow());
  const learned = points.map((point) => point.learned);
  const gained = Math.max(0, learned[8] - learned[0]);
  const x = (/** @type {number} */ i) => EDGE + ((WIDE - 2 * EDGE) * i) / 8;
  const y = (/** @type {number} */ n) =>
    Math.round((HIGH - EDGE - ((HIGH - 2 * EDGE) * n) / Math.max(parts, 1)) * 10) / 10;
  const line = learned.map((n, i) => `${i ? "L" : "M"}${x(i)} ${y(n)}`).join("");
  return html`<svg
    class="weeks"
    viewBox="0 0 ${WIDE} ${HIGH}"
    role="img"
    aria-label=${t("paths.gained", { n: gained })}
  >
    <path class="area" d="${line}V${HIGH - EDGE}H${EDGE}Z" />
    <path class="line" d=${line} />
    <circle class="end" cx=${x(8)} cy=${y(learned[8])} r="3" />
  </svg>`;
}
