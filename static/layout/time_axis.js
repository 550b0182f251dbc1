// @ts-check
/** Time axis of a run: long waits are compressed, so that the work stays visible. Pure. */

/** @typedef {[number, number]} Stretch from and until, in ms */
/**
 * @typedef {{ at: (ms: number) => number, isCut: boolean }} Axis `at`: 0..1 along the axis; `isCut`: a wait is
 *   compressed
 */

/** Largest length of all waits, as a share of the working time. */
const MOST_WAIT = 0.5;
const LEAST_WORK_MS = 2_000;

/** @param {number} fromMs @param {number} untilMs @param {Stretch[]} waits without any work @returns {Axis} */
export function axisOf(fromMs, untilMs, waits) {
  const rests = mergeStretches(waits.map(([from, until]) => [Math.max(from, fromMs), Math.min(until, untilMs)]));
  const restMs = rests.reduce((sum, [from, until]) => sum + until - from, 0);
  const mostMs = Math.max(LEAST_WORK_MS, untilMs - fromMs - restMs) * MOST_WAIT;
  const shares = rests.map(([from, until]) => Math.min(1, mostMs / (until - from)));
  const drawn = (/** @type {number} */ ms) =>
    rests.reduce(
      (sum, [from, until], i) => sum - Math.max(0, Math.min(ms, until) - from) * (1 - shares[i]),
      ms - fromMs,
    );
  const whole = Math.max(1, drawn(untilMs));
  return { at: (ms) => Math.min(1, Math.max(0, drawn(ms) / whole)), isCut: shares.some((share) => share < 1) };
}

/**
 * Stretches in order, overlapping ones merged, empty ones removed.
 * @param {Stretch[]} stretches
 * @returns {Stretch[]}
 */
function mergeStretches(stretches) {
  /** @type {Stretch[]} */
  const found = [];
  for (const [from, until] of stretches.filter(([a, b]) => b > a).sort(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], until);
    else found.push([from, until]);
  }
  return found;
}
