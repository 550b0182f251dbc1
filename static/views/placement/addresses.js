// @ts-check
/** Addresses of placements. */

import { pathUrl } from "../../state/router.js";

/** Of a path's placement, or of the check of a node. @param {string} branchId @param {string} [nodeId] */
export const placementUrl = (branchId, nodeId) =>
  `${pathUrl(branchId)}/start${nodeId ? `/${encodeURIComponent(nodeId)}` : ""}`;
