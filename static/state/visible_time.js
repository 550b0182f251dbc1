// @ts-check
/** Stopwatch that runs only while the page is visible. */

/** @returns {{ seconds: () => number, stop: () => void }} */
export function startStopwatch() {
  let passedMs = 0;
  let sinceMs = document.hidden ? null : performance.now();
  const turn = () => {
    if (document.hidden && sinceMs !== null) passedMs += performance.now() - sinceMs;
    sinceMs = document.hidden ? null : performance.now();
  };
  document.addEventListener("visibilitychange", turn);
  return {
    seconds: () => (passedMs + (sinceMs === null ? 0 : performance.now() - sinceMs)) / 1000,
    stop: () => document.removeEventListener("visibilitychange", turn),
  };
}
