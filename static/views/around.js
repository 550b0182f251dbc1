// @ts-check
/** What stands around a lesson or a diagnostic: the path's title and its nodes with what is known of them. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { graphOf, seen } from "../graph.js";

/** @typedef {{ title: string, all: Map<string, import("../graph.js").Seen> }} Around */

/** @param {string} branchId @param {unknown} [again] asked for once more when this changes */
export function usePath(branchId, again) {
  const around = useSignal(/** @type {Around | null} */ (null));
  useEffect(() => {
    let left = false;
    api.graph(branchId).then(
      (found) => { if (!left) around.value = { title: found.branch.title, all: seen(graphOf(found.nodes, found.edges), found.progress) }; },
      (error) => { if (!(error instanceof api.ApiError)) throw error; }, // the screen itself says that the server is away
    );
    return () => { left = true; };
  }, [branchId, again]);
  return around;
}
