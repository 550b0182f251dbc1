// @ts-check
/** The time axis of a run: when somebody is waited for all night, the work before it can still be seen. Pure. */

/** @typedef {[number, number]} Stretch from and until, in ms */
/** @typedef {{ at: (ms: number) => number, isCut: boolean }} Axis `at`: 0..1 along the axis; `isCut`: some of it is drawn shorter than it took */

/** A wait takes no more room than this share of the time in which there was work. */
const MOST_WAIT = 0.5;
const LEAST_WORK_MS = 2_000;

/** @param {number} fromMs @param {number} untilMs @param {Stretch[]} waits in which nobody works @returns {Axis} */
export function axisOf(fromMs, untilMs, waits) {
  const rests = joined(waits.map(([from, until]) => [Math.max(from, fromMs), Math.min(until, untilMs)]));
  const restMs = rests.reduce((sum, [from, until]) => sum + until - from, 0);
  const mostMs = Math.max(LEAST_WORK_MS, untilMs - fromMs - restMs) * MOST_WAIT;
  const shares = rests.map(([from, until]) => Math.min(1, mostMs / (until - from)));
  const drawn = (/** @type {number} */ ms) => rests.reduce((sum, [from, until], i) => sum - Math.max(0, Math.min(ms, until) - from) * (1 - shares[i]), ms - fromMs);
  const whole = Math.max(1, drawn(untilMs));
  return { at: (ms) => Math.min(1, Math.max(0, drawn(ms) / whole)), isCut: shares.some((share) => share < 1) };
}

/** Stretches in order, those that touch made one, empty ones left out. @param {Stretch[]} stretches @returns {Stretch[]} */
function joined(stretches) {
  /** @type {Stretch[]} */
  const found = [];
  for (const [from, until] of stretches.filter(([a, b]) => b > a).sort(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], until);
    else found.push([from, until]);
  }
  return found;
}
