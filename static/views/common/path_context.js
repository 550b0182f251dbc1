// @ts-check
/** Context of a lesson or a diagnostic: the path's title and nodes. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../../net/api.js";
import { graphOf, graphNodes } from "../../state/graph.js";

/** @typedef {{ title: string, all: Map<string, import("../../state/graph.js").GraphNode> }} PathContext */

/** @param {string} branchId @param {unknown} [again] reload when this changes */
export function usePathContext(branchId, again) {
  const around = useSignal(/** @type {PathContext | null} */ (null));
  useEffect(() => {
    let left = false;
    api.graph(branchId).then(
      (found) => {
        if (!left)
          around.value = {
            title: found.branch.title,
            all: graphNodes(graphOf(found.nodes, found.edges), found.progress, found.minutes, found.lessons, found.due),
          };
      },
      (error) => {
        if (!(error instanceof api.ApiError)) throw error;
      }, // the screen itself reports the outage
    );
    return () => {
      left = true;
    };
  }, [branchId, again]);
  return around;
}
