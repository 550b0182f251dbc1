// @ts-check
/** Matrix of a class: learners in rows, concepts in columns; each head sorts, each cell opens. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import { ariaSort, nextOrder } from "../../state/class_matrix.js";
import { CellMark, cellWords } from "./cell_mark.js";
import { awayWords } from "./words.js";
import { moveInGrid } from "./grid_keys.js";
import { useNearRows } from "./near_rows.js";

/** @import { Column, MatrixRow, Order } from "../../state/class_matrix.js" */
/** @import { ClassProgress } from "../../types.d.ts" */

const MOST_ROWS_UNSCROLLED = 35;
const MOST_COLUMNS_UNSCROLLED = 15;

/**
 * @param {{
 *   progress: ClassProgress,
 *   rows: MatrixRow[],
 *   hardest: number[],
 *   order: Order,
 *   onOrder: (order: Order) => void,
 *   onLearner: (userId: string) => void,
 *   onCell: (userId: string, place: number) => void,
 * }} props `hardest`: places of the concepts in which most are stuck
 */
export function Matrix({ progress: { concepts }, rows, hardest, order, onOrder, onLearner, onCell }) {
  const table = useRef(/** @type {HTMLTableElement | null} */ (null));
  useEffect(() => {
    const body = table.current?.tBodies[0];
    // One stop of the Tab key for all cells; it may have been filtered away.
    if (body && !body.querySelector("[tabindex='0']")) body.querySelector("button")?.setAttribute("tabindex", "0");
  });
  const open = (/** @type {MouseEvent} */ event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    const userId = button?.closest("tr")?.dataset.learner;
    if (!button || !userId) return;
    if (button.dataset.place === undefined) onLearner(userId);
    else onCell(userId, Number(button.dataset.place));
  };
  const scrolls = rows.length > MOST_ROWS_UNSCROLLED || concepts.length > MOST_COLUMNS_UNSCROLLED;
  const { isNear, onScroll } = useNearRows(rows.length > MOST_ROWS_UNSCROLLED);
  const sort = (/** @type {Column} */ by) => () => onOrder(nextOrder(order, by));
  return html`<div class="cl-mxw ${scrolls ? "scrolls" : ""}" onScroll=${onScroll}>
    <table class="cl-mx" role="grid" ref=${table} style=${{ "--concepts": concepts.length }}>
      <caption class="vh">${t("cl.matrix", { order: orderWords(order) })}</caption>
      <colgroup>
        <col class="n" />
        ${concepts.map(({ nodeId }) => html`<col key=${nodeId} />`)}
        <col class="h" />
        <col class="d" />
      </colgroup>
      <thead>
        <tr>
          <th class="pl" scope="col" aria-sort=${ariaSort(order, "name")}>
            <button type="button" onClick=${sort("name")}>
              ${orderWords(order)}<span class="vh">, ${t("cl.sort_by_name")}</span>
            </button>
          </th>
          ${concepts.map(
            ({ nodeId, title }, place) => html`<th key=${nodeId} scope="col" aria-sort=${ariaSort(order, place)}>
              <button
                class="ang ${hardest.includes(place) ? "hot" : ""}"
                type="button"
                title=${title}
                onClick=${sort(place)}
              >
                ${title}
              </button>
            </th>`,
          )}
          <th class="pl e" scope="col" aria-sort=${ariaSort(order, "seen")}>
            <button type="button" onClick=${sort("seen")}>${t("cl.seen")}</button>
          </th>
          <th class="pl e" scope="col" aria-sort=${ariaSort(order, "due")}>
            <button type="button" onClick=${sort("due")}>${t("cl.due")}</button>
          </th>
        </tr>
        <tr class="sum">
          <th scope="row">${t("cl.stuck")}</th>
          ${concepts.map(
            ({ nodeId, stuck }, place) => html`<td key=${nodeId} class=${sunkIf(place === hardest[0])}>
              <${StuckCount} n=${stuck} isHot=${hardest.includes(place)} />
            </td>`,
          )}
          <td></td>
          <td></td>
        </tr>
      </thead>
      <tbody onClick=${open} onKeyDown=${moveInGrid}>
        ${rows.map(
          (row, place) => html`<${LearnerRow}
            key=${row.learner.userId}
            row=${row}
            concepts=${concepts}
            sunk=${hardest[0]}
            isNear=${isNear(place)}
          />`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @param {boolean} isHardest */
const sunkIf = (isHardest) => (isHardest ? "sunk" : "");

/** The order in words, as the first column's head says it. @param {Order} order */
function orderWords({ by }) {
  if (by === "stuck") return t("cl.order.stuck");
  return t(by === "name" ? "cl.order.name" : "cl.order.column");
}

/** @param {{ n: number, isHot: boolean }} props */
function StuckCount({ n, isHot }) {
  if (n === 0) return html`<span aria-hidden="true">·</span><span class="vh">${n}</span>`;
  return isHot ? html`<b>${n}</b>` : n;
}

/**
 * @typedef {{ row: MatrixRow, concepts: ClassProgress["concepts"], sunk: number | undefined, isNear: boolean }} RowProps
 */

/** Drawn once for what it shows: sorting only moves it. @param {RowProps} props */
const LearnerRow = ({ row, concepts, sunk, isNear }) =>
  useMemo(
    () => html`<tr data-learner=${row.learner.userId}>
      <th scope="row">
        <button type="button" tabindex="-1" title=${row.learner.displayName}>${row.learner.displayName}</button>
      </th>
      ${isNear ? cellsOf(row, concepts, sunk) : html`<td colspan=${concepts.length}></td>`}
      <td class="e">${awayWords(row.learner.lastActiveAt)}</td>
      <td class="e">${row.learner.due > 0 && row.learner.due}</td>
    </tr>`,
    [row, concepts, sunk, isNear],
  );

/** @param {MatrixRow} row @param {ClassProgress["concepts"]} concepts @param {number | undefined} sunk */
const cellsOf = ({ learner, cells }, concepts, sunk) =>
  cells.map((cell, place) => {
    const { title } = concepts[place];
    const words = () => t("cl.cell", { name: learner.displayName, title, state: cellWords(cell) });
    return html`<td key=${place} class=${sunkIf(place === sunk)}>
      ${
        cell.state !== null &&
        html`<button type="button" tabindex="-1" data-place=${place} aria-label=${words()}>
          <${CellMark} cell=${cell} />
        </button>`
      }
    </td>`;
  });
