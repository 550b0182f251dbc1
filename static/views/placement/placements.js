// @ts-check
/** Placements of a path: what one would take, and which there are. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../net/api.js";
import * as placementsApi from "../../net/placements_api.js";

/** @import { Signal } from "@preact/signals" */
/** @import { PlacementOverview } from "../../types.d.ts" */

/**
 * The placements of a path; null while they are not known.
 * @param {string} branchId
 * @param {unknown} turn they are asked for again when this changes
 * @returns {Signal<PlacementOverview | null>}
 */
export function usePlacements(branchId, turn) {
  const found = useSignal(/** @type {PlacementOverview | null} */ (null));
  useEffect(() => {
    let left = false;
    placementsApi.overview(branchId).then(
      (overview) => {
        if (!left) found.value = overview;
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error; // the screen itself reports the outage
      },
    );
    return () => {
      left = true;
    };
  }, [branchId, turn]);
  return found;
}
