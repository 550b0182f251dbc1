// @ts-check
/** Paths that teachers have given to the learner, by the ids of their branches. */

import { signal } from "@preact/signals";
import { ApiError } from "../net/api.js";
import * as membershipsApi from "../net/memberships_api.js";

/** @import { CopiedPath } from "../types.d.ts" */

export const givenPaths = signal(/** @type {Map<string, CopiedPath>} */ (new Map()));

export async function loadGivenPaths() {
  try {
    const copies = await membershipsApi.copies();
    givenPaths.value = new Map(copies.map((copy) => [copy.branchId, copy]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the screen itself reports the outage
  }
}
