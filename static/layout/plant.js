// @ts-check
/** Shape of a path's plant: where its stem and its leaves stand. Pure. */

/**
 * @typedef {{ x: number, y: number, side: 1 | -1, size: number }} Leaf `side`: 1 to the right; `size`: its width
 * @typedef {{ stem: string, twigs: string[], leaves: Leaf[], top: { x: number, y: number } }} Plant
 */

export const WIDTH = 130;
export const GROUND = 228;
const FOOT = 52;
/** Leaf counts up to which leaves alternate, and up to which they stand in pairs; above, each twig carries five. */
const ALTERNATE = 9;
const PAIRS = 40;
const ON_A_TWIG = 5;
const LOWEST = 21;
const TALLEST = 212;
const CROWN = 26;
const LEANS = [6, -7, 5, -4];

/**
 * The plant with so many leaves, from the ground up.
 * @param {number} count
 * @param {number} place of the plant among those beside it, which decides how it leans
 * @param {boolean} [isFlower] whether a flower stands on top, clear of the leaves
 * @returns {Plant}
 */
export function plantOf(count, place, isFlower = false) {
  const lean = LEANS[place % LEANS.length];
  const perRow = count <= ALTERNATE ? 1 : count <= PAIRS ? 2 : ON_A_TWIG;
  const rows = Math.ceil(count / perRow);
  const crown = isFlower ? CROWN : 0;
  const gap = Math.min(perRow === 1 ? 19 : perRow === 2 ? 15.5 : 24, (TALLEST - crown - LOWEST) / rows);
  const height = LOWEST + rows * gap + 4 + crown;
  const x = (/** @type {number} */ up) => FOOT + lean * (3 * (up / height) ** 2 - 2 * (up / height) ** 3);
  const top = { x: FOOT + lean, y: GROUND - height };
  const stem = `M${FOOT} ${GROUND}C${FOOT} ${r(GROUND - height * 0.4)} ${r(top.x)} ${r(GROUND - height * 0.6)} ${r(top.x)} ${r(top.y)}`;
  /** @type {Leaf[]} */
  const leaves = [];
  /** @type {string[]} */
  const twigs = [];
  for (let row = 0; row < rows; row++) {
    const up = LOWEST + row * gap;
    const base = { x: x(up), y: GROUND - up };
    const side = /** @type {1 | -1} */ ((row % 2 ? -1 : 1) * (perRow === 1 && place % 2 ? -1 : 1));
    const shrink = 1 - (0.25 * row) / Math.max(rows, 4);
    if (perRow === 1) leaves.push({ ...base, side, size: Math.min(24, gap * 1.26) * shrink });
    if (perRow === 2)
      for (const [i, each] of /** @type {(1 | -1)[]} */ ([1, -1]).entries())
        if (leaves.length < count)
          leaves.push({ x: base.x, y: base.y + (i ? -3 : 0), side: each, size: Math.min(22, gap * 1.42) * shrink });
    if (perRow === ON_A_TWIG) {
      const reach = 34 * shrink;
      twigs.push(`M${r(base.x)} ${r(base.y)}q${r(side * reach * 0.5)} -3 ${r(side * reach)} -15`);
      for (let i = 0; i < ON_A_TWIG && leaves.length < count; i++)
        leaves.push(twigLeaf(base, side, reach, i, Math.min(12, gap * 0.7) * shrink));
    }
  }
  return { stem, twigs, leaves, top };
}

/**
 * The i-th of the leaves on a twig: two below it, two above, one at its tip.
 * @param {{ x: number, y: number }} base
 * @param {1 | -1} side
 * @param {number} reach
 * @param {number} i
 * @param {number} size
 * @returns {Leaf}
 */
function twigLeaf(base, side, reach, i, size) {
  const along = [0.45, 0.45, 0.75, 0.75, 1][i];
  const at = { x: base.x + side * reach * along, y: base.y - (3 * along + 12 * along ** 2) };
  return { ...at, side: i % 2 ? /** @type {1 | -1} */ (-side) : side, size };
}

/** Path of a leaf whose stalk is at (0, 0). @param {Leaf} leaf */
export function leafPath({ x, y, side, size }) {
  const s = (/** @type {number} */ share) => r(side * size * share);
  const v = (/** @type {number} */ share) => r(size * share);
  const there = `c${s(0.05)} ${v(-0.58)} ${s(0.54)} ${v(-0.85)} ${s(1)} ${v(-0.77)}`;
  return `M${r(x)} ${r(y)}${there}c0 ${v(0.54)} ${s(-0.4)} ${v(0.85)} ${s(-1)} ${v(0.77)}Z`;
}

/** @param {number} n */
const r = (n) => Math.round(n * 10) / 10;
