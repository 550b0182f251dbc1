// @ts-check
/** What this week has brought: parts learned and mastered, by name, and mix-ups that were cleared. */

import { t } from "../../i18n/you.js";
import { parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { gains, weekOf } from "../../state/progress.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { Begun, MixUp, ProgressReport } from "../../types.d.ts" */

/** @param {{ report: ProgressReport, mixUps: MixUp[], nowMs: number }} props */
export function Gains({ report, mixUps, nowMs }) {
  const { learned, mastered } = gains(report, nowMs);
  const cleared = mixUps.filter((one) => one.clearedBy && parseMs(one.clearedBy.at) >= weekOf(nowMs));
  return html`<section class="gains" aria-labelledby="gains">
    <h2 id="gains">${t("pg.gains")}</h2>
    ${
      learned.length + mastered.length + cleared.length === 0
        ? html`<p class="dim">${t("pg.gains_none")}</p>`
        : html`<dl>
          <${Parts} parts=${mastered} state="mastered" />
          <${Parts} parts=${learned} state="learned" />
          ${
            cleared.length > 0 &&
            html`<div>
              <dt>${t("pg.gains_cleared", { n: cleared.length })}</dt>
              ${cleared.map(
                ({ id, statement }) => html`<dd key=${id} class="reason">${t("pg.quote", { words: statement })}</dd>`,
              )}
            </div>`
          }
        </dl>`
    }
  </section>`;
}

/** @param {{ parts: Begun[], state: "learned" | "mastered" }} props */
const Parts = ({ parts, state }) =>
  parts.length > 0 &&
  html`<div>
    <dt><${Mark} state=${state} mastery=${1} />${t(`pg.gains_${state}`, { n: parts.length })}</dt>
    ${parts.map((part) => html`<dd key=${part.nodeId}>${part.title}</dd>`)}
  </div>`;
