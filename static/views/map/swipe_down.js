// @ts-check
/** Swipe that pushes a sheet down and away. */

import { useLayoutEffect } from "preact/hooks";

/** How far a finger pushes before the sheet goes. */
const AWAY_PX = 72;

/**
 * The sheet follows the finger, from its top; let go of early it comes back.
 * @param {{ current: HTMLElement | null }} inside what the sheet holds
 * @param {() => void} onAway
 */
export function useSwipeDown(inside, onAway) {
  useLayoutEffect(() => {
    const sheet = /** @type {HTMLElement} */ (inside.current?.closest("dialog"));
    let from = NaN;
    let moved = 0;
    const begin = (/** @type {TouchEvent} */ event) => {
      from = sheet.scrollTop > 0 ? NaN : event.touches[0].clientY;
    };
    const follow = (/** @type {TouchEvent} */ event) => {
      moved = event.touches[0].clientY - from;
      if (!(moved > 0)) return;
      event.preventDefault(); // the page below does not scroll with it
      sheet.style.transform = `translateY(${moved}px)`;
    };
    const end = () => {
      sheet.style.transform = "";
      if (moved > AWAY_PX) onAway();
      moved = 0;
    };
    sheet.addEventListener("touchstart", begin, { passive: true });
    sheet.addEventListener("touchmove", follow, { passive: false });
    sheet.addEventListener("touchend", end);
    return () => {
      sheet.removeEventListener("touchstart", begin);
      sheet.removeEventListener("touchmove", follow);
      sheet.removeEventListener("touchend", end);
    };
  }, []);
}
