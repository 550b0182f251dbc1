// @ts-check
/** Lists of a narrow screen in place of the matrix: concepts with counts, and learners with their marks. */

import { t } from "../../i18n/classes.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { hardestConcepts, masteredCount, stateCounts } from "../../state/class_matrix.js";
import { CellMark } from "./cell_mark.js";
import { awaySince } from "./words.js";

/** @import { MatrixRow } from "../../state/class_matrix.js" */
/** @import { ClassProgress } from "../../types.d.ts" */

/** @param {{ progress: ClassProgress, rows: MatrixRow[], onConcept: (place: number) => void }} props */
export function ConceptList({ progress, rows, onConcept }) {
  const hardest = hardestConcepts(progress);
  const others = progress.concepts.map((_, place) => place).filter((place) => !hardest.includes(place));
  return html`<ul class="cl-list">
    ${[...hardest, ...others].map((place) => {
      const { nodeId, title, stuck } = progress.concepts[place];
      return html`<li key=${nodeId}>
        <button class="hd" type="button" onClick=${() => onConcept(place)}>
          <b dir="auto">${title}</b>
          ${stuck > 0 && html`<span class="t13 dim">${t("cl.stuck_count", { n: stuck })}</span>`}
        </button>
        <p class="cl-counts">
          ${stateCounts(rows, place).map(
            ({ state, count }) => html`<span key=${state}>
              <${CellMark} cell=${{ state, isStuck: false, isUnsure: false }} />
              <span aria-hidden="true">${count}</span>
              <span class="vh">${t("cl.count", { state: common(`state.${state}`), n: count })}</span>
            </span>`,
          )}
        </p>
      </li>`;
    })}
  </ul>`;
}

/** @param {{ rows: MatrixRow[], onLearner: (userId: string) => void }} props */
export const LearnerList = ({ rows, onLearner }) => html`<ul class="cl-list">
  ${rows.map((row) => html`<${LearnerItem} key=${row.learner.userId} row=${row} onLearner=${onLearner} />`)}
</ul>`;

/** @param {{ row: MatrixRow, onLearner: (userId: string) => void }} props */
const LearnerItem = ({ row, onLearner }) => {
  const { userId, displayName, stuck, lastActiveAt } = row.learner;
  const facts = [stuck.length > 0 && t("cl.stuck_at", { n: stuck.length }), awaySince(lastActiveAt)];
  return html`<li>
    <button class="hd" type="button" onClick=${() => onLearner(userId)}>
      <b dir="auto">${displayName}</b>
      <span class="t13 dim">${commaJoined(facts)}</span>
    </button>
    <div
      class="cl-strip"
      role="img"
      aria-label=${t("cl.mastered_of", { n: masteredCount(row), all: row.cells.length })}
    >
      ${row.cells.map((cell, place) => cell.state !== null && html`<${CellMark} key=${place} cell=${cell} />`)}
    </div>
  </li>`;
};
