// @ts-check
/** Line on an open concept: the mix-up that is still open in it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/mixups.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";

/** @import { MixUp } from "../../types.d.ts" */

/** Renders nothing without an open one. @param {{ branchId: string, conceptId: string, turn: unknown }} props */
export function MixUpLine({ branchId, conceptId, turn }) {
  const found = useSignal(/** @type {MixUp[]} */ ([]));
  useEffect(() => {
    let left = false;
    learnerApi.mixUps(branchId).then(
      (all) => {
        if (!left) found.value = all.filter((one) => one.conceptId === conceptId && one.state === "open");
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error; // the screen itself reports the outage
      },
    );
    return () => {
      left = true;
    };
  }, [branchId, conceptId, turn]);
  const [first, ...others] = found.value;
  if (!first) return null;
  const more = others.length > 0 && t("mx.here_more", { n: others.length + 1 });
  return html`<p class="t13 dim mx-line">
    ${t("mx.here", { statement: first.statement })}${more && ` ${more}.`}${" "}
    <a href="/progress/mix-ups">${t("mx.see")}</a>
  </p>`;
}
