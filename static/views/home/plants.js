// @ts-check
/** The newest paths as plants above the list, and a seed where there is none yet. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/home.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { lazy } from "../common/lazy.js";

/** @import { TodayPath } from "../../types.d.ts" */

const plant = lazy(async () => (await import("../today/plant.js")).Plant);
const MOST = 4;

/** @param {{ turn: unknown }} props the plants are asked for again when `turn` changes */
export function Plants({ turn }) {
  const paths = useSignal(/** @type {TodayPath[]} */ ([]));
  useEffect(() => {
    learnerApi.today().then(
      (today) => {
        paths.value = today.paths.slice(0, MOST);
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error; // the screen itself reports the outage
      },
    );
  }, [turn]);
  return html`<div class="plants row-of">
    ${paths.value.map(
      (path, i) => html`<figure key=${path.branch.id} class=${path.next.kind === "growing" ? "breathing" : ""}>
        <${plant.View} leaves=${path.leaves} parts=${path.parts} place=${i} seen=${path.leaves.length} />
        <figcaption>${path.branch.title}</figcaption>
      </figure>`,
    )}
  </div>`;
}

export const Seed = () => html`<div class="plants">
  <svg viewBox="0 0 440 300" role="img" aria-label=${t("paths.seed")}>
    <path class="e e-ghost" d="M220 300C220 230 232 200 232 120" />
    <g transform="translate(232 96)">
      ${Array.from(
        { length: 8 },
        (_, i) => html`<circle key=${i} class="p-l" cy="-24" r="2" transform="rotate(${i * 45})" />`,
      )}
      <circle class="seed-ring" r="9" />
    </g>
    <path class="leaf-new" d="M220 318c-8 0-11 5-11 9s5 8 11 8 11-4 11-8-3-9-11-9Z" />
    <path class="stem-line" d="M220 318v-16" />
  </svg>
</div>`;
