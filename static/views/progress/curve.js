// @ts-check
/** What is learned over time as two stacked areas and as a table. */

import { useMemo } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { longDay, shortDay } from "../../lib/dates.js";
import { count } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { curve, ticks } from "../../state/progress.js";

/** @import { Turn } from "../../types.d.ts" */
/** @import { Point, Span } from "../../state/progress.js" */

/** Sizes of the drawing for wide pages and phones; `named`: number of labelled days besides today. */
const WIDE = { width: 700, height: 226, right: 120, named: 3 };
const SLIM = { width: 328, height: 216, right: 98, named: 2 };
const LEFT = 30;
const TOP = 10;
const FOOT = 26;
/** Least distance of two labels. */
const LABEL = 18;

/** @param {{ turns: Turn[], span: Span, nowMs: number }} props */
export function Curve({ turns, span, nowMs }) {
  const points = useMemo(() => curve(turns, span, nowMs), [turns, span, nowMs]);
  const last = points[points.length - 1];
  const says = t("pg.curve_says", {
    span: t(`pg.${span}`),
    from: points[0].learned,
    to: last.learned,
    begun: last.begun,
  });
  return html`<section class="curve" aria-labelledby="curve">
    <h2 id="curve">${t("pg.curve")}</h2>
    <${Drawing} kind="wide" size=${WIDE} points=${points} says=${says} />
    <${Drawing} kind="slim" size=${SLIM} points=${points} says=${says} />
    <details class="numbers">
      <summary>${t("pg.table")}</summary>
      <div class="numbers-in" tabindex="0" role="group" aria-label=${t("pg.curve")}>
        <table>
          <thead>
            <tr>
              <th scope="col">${t("pg.table_when")}</th>
              <th scope="col">${t("pg.table_learned")}</th>
              <th scope="col">${t("pg.table_begun")}</th>
            </tr>
          </thead>
          <tbody>
            ${[...points].reverse().map(
              (point) => html`<tr key=${point.atMs}>
                <th scope="row">${point === last ? t("pg.today") : longDay(point.atMs)}</th>
                <td>${count(point.learned)}</td>
                <td>${count(point.begun)}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`;
}

/** @param {{ kind: "wide" | "slim", size: typeof WIDE, points: Point[], says: string }} props */
function Drawing({ kind, size, points, says }) {
  const right = size.width - size.right;
  const floor = size.height - FOOT;
  const lines = ticks(Math.max(...points.map((point) => point.learned + point.begun)));
  const x = (/** @type {number} */ i) => Math.round((LEFT + ((right - LEFT) * i) / (points.length - 1)) * 10) / 10;
  const y = (/** @type {number} */ n) => Math.round((floor - ((floor - TOP) * n) / lines[lines.length - 1]) * 10) / 10;
  const path = (/** @type {(point: Point) => number} */ of) =>
    points.map((point, i) => `${i ? "L" : "M"}${x(i)} ${y(of(point))}`).join("");
  const learned = path((point) => point.learned);
  const begun = path((point) => point.learned + point.begun);
  const last = points[points.length - 1];
  const end = y(last.learned);
  const every = Math.round((points.length - 1) / size.named);
  const named = points.flatMap((point, i) => (i && i % every === 0 && x(i) < right - 50 ? [{ point, i }] : []));
  return html`<svg class="chart ${kind}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label=${says}>
    ${lines.map(
      (n) => html`
        <path key=${n} class="gl" d="M${LEFT} ${y(n)}H${right}" />
        <text key="t${n}" class="ax" x=${LEFT - 8} y=${y(n) + 4} text-anchor="end">${n}</text>
      `,
    )}
    <path class="area-begun" d="${begun}L${right} ${floor}H${LEFT}Z" />
    <path class="area-learned" d="${learned}L${right} ${floor}H${LEFT}Z" />
    <path class="line-begun" d=${begun} />
    <path class="line-learned" d=${learned} />
    <circle class="end" cx=${right} cy=${end} r="4" />
    ${
      last.begun > 0 &&
      html`<text
        class="ax"
        x=${right + 12}
        y=${Math.max(12, Math.min(y(last.learned + last.begun) + 4, end + 4 - LABEL))}
      >
        ${t("pg.in_progress", { n: count(last.begun) })}
      </text>`
    }
    <text class="ax strong" x=${right + 12} y=${end + 4}>${t("pg.are_learned", { n: count(last.learned) })}</text>
    <text class="ax" x=${LEFT} y=${size.height - 6}>${shortDay(points[0].atMs)}</text>
    ${named.map(
      ({ point, i }) => html`<text key=${i} class="ax" x=${x(i)} y=${size.height - 6} text-anchor="middle">
        ${shortDay(point.atMs)}
      </text>`,
    )}
    <text class="ax" x=${right} y=${size.height - 6} text-anchor="middle">${t("pg.today")}</text>
  </svg>`;
}
