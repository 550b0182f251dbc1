// @ts-check
/** Rows of a long table that are drawn: those in view and some around them; on paper all. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const BEFORE = 10;
const AFTER = 45;
/** Rows that are scrolled by before others are drawn. */
const STEP = 5;
const ROW_PX = 30;

/**
 * @param {boolean} scrolls whether the table scrolls by itself; else all of its rows are drawn
 * @returns {{ isNear: (place: number) => boolean, onScroll: (event: Event) => void }}
 */
export function useNearRows(scrolls) {
  const from = useSignal(0);
  const isPrinted = useSignal(false);
  useEffect(() => {
    const begin = () => {
      isPrinted.value = true;
    };
    const end = () => {
      isPrinted.value = false;
    };
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const onScroll = (/** @type {Event} */ event) => {
    const row = Math.floor(/** @type {Element} */ (event.currentTarget).scrollTop / ROW_PX);
    from.value = row - (row % STEP);
  };
  const isAll = !scrolls || isPrinted.value;
  const first = from.value;
  return { isNear: (place) => isAll || (place >= first - BEFORE && place < first + AFTER), onScroll };
}
