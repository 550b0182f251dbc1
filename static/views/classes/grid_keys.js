// @ts-check
/** Arrow keys in the body of a table whose cells have buttons: one of them is a stop of the Tab key. */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The button to which a key leads, or null. @param {HTMLTableCellElement} cell @param {string} key @param {boolean} isMirrored */
function target(cell, key, isMirrored) {
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const body = /** @type {HTMLTableSectionElement} */ (row.parentElement);
  if (key === "Home") return row.querySelector("button");
  if (key === "End") return [...row.querySelectorAll("button")].at(-1) ?? null;
  const [down, along] = STEPS[key];
  const step = isMirrored ? -along : along;
  let [y, x] = [row.sectionRowIndex + down, cell.cellIndex + step];
  // A learner without a concept has no button there: the next one is meant.
  for (; body.rows[y]?.cells[x]; y += down, x += step) {
    const button = body.rows[y].cells[x].querySelector("button");
    if (button) return button;
  }
  return null;
}

/** @param {KeyboardEvent} event */
export function moveInGrid(event) {
  if (!(event.key in STEPS || event.key === "Home" || event.key === "End")) return;
  const from = /** @type {Element} */ (event.target).closest("button");
  const cell = /** @type {HTMLTableCellElement | null} */ (from?.closest("td, th") ?? null);
  if (!from || !cell) return;
  event.preventDefault();
  const to = target(cell, event.key, document.documentElement.dir === "rtl");
  if (!to) return;
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
}
