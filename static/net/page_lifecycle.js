// @ts-check
/** Lifecycle of the page: hidden, offline, put into the browser's cache and restored. */

/** Time after which a hidden page releases its connection. */
const HIDDEN_MS = 60_000;
/**
 * Channel on which pages announce that they are hidden: of the hidden ones only the last keeps its connection that
 * long.
 */
const HIDDEN_CHANNEL = "sprout-out-of-sight";
/** Sender id, so that a page ignores its own announcements. */
const PAGE_ID = Math.random();

/**
 * Report when the page appears and disappears.
 * @param {{ onBack: () => void, onVisible: () => void, onOffline: () => void, onLeave: () => void }} listeners
 *   `onBack`: the network is back, or the page was restored from the browser's cache; `onLeave`: hidden for a minute,
 *   unloaded or cached
 * @returns {() => void} stops reporting
 */
export function watchPage({ onBack, onVisible, onOffline, onLeave }) {
  const others = new BroadcastChannel(HIDDEN_CHANNEL),
    aborter = new AbortController(),
    until = { signal: aborter.signal };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hiddenTimer;
  const isVisible = () => document.visibilityState === "visible";
  const onVisibilityChange = () => {
    clearTimeout(hiddenTimer);
    if (isVisible()) return onVisible();
    others.postMessage(PAGE_ID);
    hiddenTimer = setTimeout(onLeave, HIDDEN_MS);
  };
  others.onmessage = ({ data: page }) => {
    if (page !== PAGE_ID && !isVisible()) onLeave();
  };
  addEventListener("online", onBack, until);
  addEventListener("offline", onOffline, until);
  addEventListener("pagehide", onLeave, until);
  addEventListener(
    "pageshow",
    (event) => {
      if (event.persisted) onBack();
    },
    until,
  );
  document.addEventListener("visibilitychange", onVisibilityChange, until);
  return () => {
    clearTimeout(hiddenTimer);
    others.close();
    aborter.abort();
  };
}
