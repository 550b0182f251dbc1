// @ts-check
/** Calendar of learning: a leaf per day, larger for more time; per week for a year. */

import { useMemo } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { studyTime, longDay, shortMonth, weekday } from "../../lib/dates.js";
import { count, commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { calendar, dayOf, longestDay } from "../../state/progress.js";

/** @import { Studied } from "../../types.d.ts" */
/** @import { Cell, Span } from "../../state/progress.js" */

const LEAF = "M-12.5 12.5V-1.5A11 11 0 0 1-1.5-12.5H12.5V1.5A11 11 0 0 1 1.5 12.5Z";
const WIDTH = 320;
const LEFT = 34;
const TOP = 16;
const ROW = 25;
const WIDEST_COLUMN = 25;
const SMALLEST = 0.24;
const LARGEST = 0.7;
/** Time of the largest leaf. */
const FULL_S = { day: 90 * 60, week: 6 * 3600 };
const NAMED_DAYS = [0, 3, 6];
const LONGEST_NAME = 4;

/** @param {{ studied: Studied[], span: Span, nowMs: number }} props */
export function Calendar({ studied, span, nowMs }) {
  const columns = useMemo(() => calendar(studied, span, nowMs), [studied, span, nowMs]);
  const year = span === "year";
  const cells = columns.flat().filter((cell) => !cell.ahead);
  const done = cells.filter((cell) => cell.deeds);
  const says = describe(columns, cells.length, done.length, year);
  return html`<section aria-labelledby="days">
    <h2 id="days">${t(year ? "pg.calendar_year" : "pg.calendar")}</h2>
    <${Drawing} columns=${columns} year=${year} nowMs=${nowMs} says=${says} />
    <p class="t13 dimmer" aria-hidden="true">${says}</p>
    ${
      done.length > 0 &&
      html`<details class="numbers">
        <summary>${t("pg.table")}</summary>
        <div class="numbers-in" tabindex="0" role="group" aria-label=${t(year ? "pg.calendar_year" : "pg.calendar")}>
          <table>
            <thead>
              <tr>
                <th scope="col">${t(year ? "pg.table_week" : "pg.table_day")}</th>
                <th scope="col">${t("pg.table_time")}</th>
                <th scope="col">${t("pg.table_deeds")}</th>
              </tr>
            </thead>
            <tbody>
              ${done.reverse().map(
                (cell) => html`<tr key=${cell.atMs}>
                  <th scope="row">${longDay(cell.atMs)}</th>
                  <td>${studyTime(cell.seconds)}</td>
                  <td>${count(cell.deeds)}</td>
                </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </details>`
    }
  </section>`;
}

/**
 * Summary of the calendar in a sentence.
 * @param {Cell[][]} columns
 * @param {number} all
 * @param {number} n
 * @param {boolean} year
 */
function describe(columns, all, n, year) {
  if (!n) return t("pg.calendar_none");
  const time = studyTime(columns.flat().reduce((seconds, cell) => seconds + cell.seconds, 0));
  if (year) return t("pg.calendar_says_year", { n, all, time });
  const longest = /** @type {number} */ (longestDay(columns));
  return t("pg.calendar_says", { n, all, time, day: weekday(columns[0][longest].atMs, "long") });
}

/** @param {{ columns: Cell[][], year: boolean, nowMs: number, says: string }} props */
function Drawing({ columns, year, nowMs, says }) {
  const left = year ? 12 : LEFT;
  const wide = Math.min(WIDEST_COLUMN, (WIDTH - left - 12) / Math.max(1, columns.length - 1));
  const rows = Math.max(...columns.map((cells) => cells.length));
  const today = dayOf(nowMs);
  const x = (/** @type {number} */ i) => left + i * wide;
  const y = (/** @type {number} */ i) => TOP + i * ROW;
  return html`<svg
    class="chart days"
    viewBox="0 0 ${WIDTH} ${y(rows - 1) + (year ? 36 : 20)}"
    role="img"
    aria-label=${says}
  >
    ${columns.map((cells, i) =>
      cells.map(
        (cell, row) =>
          !cell.ahead &&
          html`<${Leaf}
            key=${cell.atMs}
            cell=${cell}
            x=${x(i)}
            y=${y(row)}
            full=${year ? FULL_S.week : FULL_S.day}
            now=${cell.atMs <= today && today < dayOf(cell.atMs, year ? 7 : 1)}
          />`,
      ),
    )}
    ${
      year
        ? columns.map(
            (cells, i) =>
              i % 2 === 0 &&
              html`<text key=${i} class="ax" x=${x(i)} y=${y(rows - 1) + 30} text-anchor=${i ? "middle" : "start"}>
                ${shortMonth(cells[0].atMs)}
              </text>`,
          )
        : NAMED_DAYS.map(
            (day) => html`<text key=${day} class="ax" x="0" y=${y(day) + 4}>${briefDay(columns[0][day].atMs)}</text>`,
          )
    }
  </svg>`;
}

/** A weekday in at most four letters. @param {number} ms */
const briefDay = (ms) =>
  [weekday(ms, "short"), weekday(ms, "narrow")].find((name) => name.length <= LONGEST_NAME) ?? "";

/** @param {{ cell: Cell, x: number, y: number, full: number, now: boolean }} props */
function Leaf({ cell, x, y, full, now }) {
  if (!cell.deeds) return html`<circle class=${now ? "none now" : "none"} cx=${x} cy=${y} r=${now ? 3 : 1.5} />`;
  const scale = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(Math.min(1, cell.seconds / full));
  return html`<path
    class=${now ? "leaf now" : "leaf"}
    d=${LEAF}
    transform="translate(${x.toFixed(1)} ${y}) scale(${scale.toFixed(2)})"
  >
    <title>${commaJoined([longDay(cell.atMs), studyTime(cell.seconds)])}</title>
  </path>`;
}
