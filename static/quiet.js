// @ts-check
/** Wait until news about something has been quiet for a while, but never for too long. */

/**
 * @param {{ quietMs: number, longestMs: number, then: (key: string) => void }} rule
 * @returns {{ heard: (key: string) => void, stop: () => void }}
 */
export function quietly({ quietMs, longestMs, then }) {
  /** @type {Map<string, { sinceMs: number, timer: ReturnType<typeof setTimeout> }>} */
  const waiting = new Map();
  return {
    heard(key) {
      const before = waiting.get(key);
      clearTimeout(before?.timer);
      const sinceMs = before?.sinceMs ?? Date.now();
      const timer = setTimeout(() => { waiting.delete(key); then(key); }, Math.min(quietMs, Math.max(0, sinceMs + longestMs - Date.now())));
      waiting.set(key, { sinceMs, timer });
    },
    stop() { waiting.forEach(({ timer }) => clearTimeout(timer)); },
  };
}
