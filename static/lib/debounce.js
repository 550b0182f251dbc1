// @ts-check
/** Debounce by key: calls back after a quiet interval, at the latest after the longest one. */

/**
 * @param {{ quietMs: number, longestMs: number, then: (key: string) => void }} rule
 * @returns {{ call: (key: string) => void, stop: () => void }}
 */
export function debounce({ quietMs, longestMs, then }) {
  /** @type {Map<string, { sinceMs: number, timer: ReturnType<typeof setTimeout> }>} */
  const waiting = new Map();
  return {
    call(key) {
      const before = waiting.get(key);
      clearTimeout(before?.timer);
      const sinceMs = before?.sinceMs ?? Date.now();
      const timer = setTimeout(
        () => {
          waiting.delete(key);
          then(key);
        },
        Math.min(quietMs, Math.max(0, sinceMs + longestMs - Date.now())),
      );
      waiting.set(key, { sinceMs, timer });
    },
    stop() {
      waiting.forEach(({ timer }) => clearTimeout(timer));
    },
  };
}
