// @ts-check
/** Prefetch of what follows the home: search, and the screen of a path. */

import { useEffect } from "preact/hooks";
import { loadSheet } from "../../lib/style_sheets.js";
import { prefetchSearch } from "../common/search_button.js";

/** Time for the home itself, once it is shown. */
const AHEAD_MS = 1500;

/** @param {boolean} isShown whether the home has what it shows */
export function usePrefetch(isShown) {
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => {
      prefetchSearch();
      loadSheet("styles/path.css");
      import("../path/path.js").catch(() => null); // offline: the screen itself tries again
    }, AHEAD_MS);
    return () => clearTimeout(timer);
  }, [isShown]);
}
