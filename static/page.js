// @ts-check
/** How a page comes and goes: out of sight, out of the network, put aside by the browser and taken out again. */

/** A browser has few connections for one server: a page that nobody has looked at for this long gives its own back. */
const UNSEEN_MS = 60_000;
/** Where pages of one browser tell each other that they go out of sight: of those, only the last keeps its connection that long. */
const OUT_OF_SIGHT = "sprout-out-of-sight";
/** This page among them: what it follows does not go by its own words. */
const PAGE = Math.random();

/**
 * Say when the page comes and goes.
 * @param {{ back: () => void, seen: () => void, offline: () => void, left: () => void }} told
 *   `back`: there is a network again, or the browser has taken the page out again; `left`: out of sight for long, or put aside
 * @returns {() => void} ends it
 */
export function watchPage({ back, seen, offline, left }) {
  const others = new BroadcastChannel(OUT_OF_SIGHT), given = new AbortController(), until = { signal: given.signal };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let unseen;
  const isSeen = () => document.visibilityState === "visible";
  const turned = () => {
    clearTimeout(unseen);
    if (isSeen()) return seen();
    others.postMessage(PAGE);
    unseen = setTimeout(left, UNSEEN_MS);
  };
  others.onmessage = ({ data: page }) => { if (page !== PAGE && !isSeen()) left(); };
  addEventListener("online", back, until);
  addEventListener("offline", offline, until);
  addEventListener("pagehide", left, until);
  addEventListener("pageshow", (event) => { if (event.persisted) back(); }, until);
  document.addEventListener("visibilitychange", turned, until);
  return () => {
    clearTimeout(unseen);
    others.close();
    given.abort();
  };
}
