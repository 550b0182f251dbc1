// @ts-check
/** Shape of a path's plant: where its stem and its leaves stand. Pure. */

/**
 * @typedef {{ x: number, y: number, side: 1 | -1, size: number }} Leaf `side`: 1 to the right; `size`: its width
 * @typedef {{ x: number, y: number, side: 1 | -1, shrink: number }} Base where a row of leaves leaves the stem
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
/** Length of the lowest twig. */
const TWIG = 34;
const LEANS = [6, -7, 5, -4];

/**
 * The plant with so many leaves, from the ground up.
 * @param {number} count
 * @param {number} place of the plant among those beside it, which decides how it leans
 * @param {boolean} [isFlower] whether a flower stands on top, clear of the leaves
 * @returns {Plant}
 */
export function plantOf(count, place, isFlower = false) {
  const [perRow, widest, leavesOf] = formOf(count);
  const crown = isFlower ? CROWN : 0;
  const rows = Math.ceil(count / perRow);
  const gap = Math.min(widest, (TALLEST - crown - LOWEST) / rows);
  const height = LOWEST + rows * gap + 4 + crown;
  const lean = LEANS[place % LEANS.length];
  const bases = Array.from({ length: rows }, (_, row) => {
    const up = LOWEST + row * gap;
    const share = up / height;
    const side = /** @type {1 | -1} */ ((row + place) % 2 ? -1 : 1);
    const x = FOOT + lean * (3 * share ** 2 - 2 * share ** 3);
    return { x, y: GROUND - up, side, shrink: 1 - (0.25 * row) / Math.max(rows, 4) };
  });
  const top = { x: FOOT + lean, y: GROUND - height };
  const bends = [GROUND - height * 0.4, GROUND - height * 0.6].map(r);
  return {
    stem: `M${FOOT} ${GROUND}C${FOOT} ${bends[0]} ${top.x} ${bends[1]} ${top.x} ${r(top.y)}`,
    twigs: perRow === ON_A_TWIG ? bases.map(twigPath) : [],
    leaves: bases.flatMap((base) => leavesOf(base, gap)).slice(0, count),
    top,
  };
}

/**
 * How many leaves stand in a row, how far rows are apart at most, and the leaves of one.
 * @param {number} count
 * @returns {[number, number, (base: Base, gap: number) => Leaf[]]}
 */
function formOf(count) {
  if (count <= ALTERNATE) return [1, 19, single];
  return count <= PAIRS ? [2, 15.5, pair] : [ON_A_TWIG, 24, twigLeaves];
}

/** @param {Base} base @param {number} gap @returns {Leaf[]} */
const single = ({ x, y, side, shrink }, gap) => [{ x, y, side, size: Math.min(24, gap * 1.26) * shrink }];

/** @param {Base} base @param {number} gap @returns {Leaf[]} */
function pair({ x, y, shrink }, gap) {
  const size = Math.min(22, gap * 1.42) * shrink;
  return [
    { x, y, side: 1, size },
    { x, y: y - 3, side: -1, size },
  ];
}

/** Two leaves on either side of a twig, twice, and one at its tip. @param {Base} base @param {number} gap @returns {Leaf[]} */
function twigLeaves({ x, y, side, shrink }, gap) {
  const size = Math.min(12, gap * 0.7) * shrink;
  return [0.45, 0.45, 0.75, 0.75, 1].map((along, i) => ({
    x: x + side * TWIG * shrink * along,
    y: y - (3 * along + 12 * along ** 2),
    side: i % 2 ? /** @type {1 | -1} */ (-side) : side,
    size,
  }));
}

/** @param {Base} base */
const twigPath = ({ x, y, side, shrink }) =>
  `M${r(x)} ${r(y)}q${r(side * TWIG * shrink * 0.5)} -3 ${r(side * TWIG * shrink)} -15`;

/** Path of a leaf whose stalk is at (0, 0). @param {Leaf} leaf */
export function leafPath({ x, y, side, size }) {
  const s = (/** @type {number} */ share) => r(side * size * share);
  const v = (/** @type {number} */ share) => r(size * share);
  const there = `c${s(0.05)} ${v(-0.58)} ${s(0.54)} ${v(-0.85)} ${s(1)} ${v(-0.77)}`;
  return `M${r(x)} ${r(y)}${there}c0 ${v(0.54)} ${s(-0.4)} ${v(0.85)} ${s(-1)} ${v(0.77)}Z`;
}

/** @param {number} n */
const r = (n) => Math.round(n * 10) / 10;
