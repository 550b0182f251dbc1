// @ts-check
/** Repetition of a job while the page is visible. */

/**
 * Repeat a job while somebody can see the page, and do it when they come back to it.
 * @param {() => void} job @param {number} everyMs
 * @returns {() => void} stops it
 */
export function whileVisible(job, everyMs) {
  const ifVisible = () => {
    if (document.visibilityState === "visible") job();
  };
  const timer = setInterval(ifVisible, everyMs);
  document.addEventListener("visibilitychange", ifVisible);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", ifVisible);
  };
}
