// @ts-check
/** Media queries that change what a screen renders. */

import { useEffect, useState } from "preact/hooks";

/** @param {string} text */
function mediaQuery(text) {
  const query = matchMedia(text);
  return () => {
    const [matches, setMatches] = useState(query.matches);
    useEffect(() => {
      const look = () => setMatches(query.matches);
      query.addEventListener("change", look);
      return () => query.removeEventListener("change", look);
    }, []);
    return matches;
  };
}

/** Whether map and panel stand side by side. */
export const useIsWide = mediaQuery("(min-width: 1001px)");

/** Whether a table of many columns does not fit; never on paper. */
export const useIsNarrow = mediaQuery("screen and (max-width: 860px)");
