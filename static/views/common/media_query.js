// @ts-check
/** Media query for screens that show map and panel side by side. */

import { useEffect, useState } from "preact/hooks";

const query = matchMedia("(min-width: 1001px)");

export function useIsWide() {
  const [wide, setWide] = useState(query.matches);
  useEffect(() => {
    const look = () => setWide(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return wide;
}
