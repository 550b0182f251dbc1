// @ts-check
/** Line on the home that says what is due for review; where nothing is, its words are not even fetched. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as reviewsApi from "../../net/reviews_api.js";
import { lazy } from "../common/lazy.js";

/** @import { ReviewsDue } from "../../types.d.ts" */

const card = lazy(async () => (await import("./due_card.js")).DueCard);

export function DueLine() {
  const due = useSignal(/** @type {ReviewsDue | null} */ (null));
  useEffect(() => {
    let left = false;
    reviewsApi.due().then(
      (found) => {
        if (!left) due.value = found;
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
      },
    ); // the home itself reports the outage
    return () => {
      left = true;
    };
  }, []);
  const found = due.value;
  return found && (found.today > 0 || found.sessionId) ? html`<${card.View} due=${found} />` : null;
}
