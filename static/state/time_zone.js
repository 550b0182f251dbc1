// @ts-check
/** The learner's time zone: days end at their own hour, so the server learns it from the first browser. */

import * as reviewsApi from "../net/reviews_api.js";

/**
 * Tell the server where the learner is, unless it knows.
 * @param {string | null} known
 * @returns {Promise<boolean>} whether it was told
 */
export async function tellTimeZone(known) {
  const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (known !== null || !mine) return false;
  await reviewsApi.changeSettings({ timeZone: mine });
  return true;
}
