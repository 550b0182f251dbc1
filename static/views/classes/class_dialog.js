// @ts-check
/** Dialog over the class page: one learner, one concept, or one learner's answers in a concept. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/classes.js";
import { studyTime } from "../../lib/dates.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { sortedRows } from "../../state/class_matrix.js";
import { Dialog } from "../common/dialog.js";
import { CellMark, cellWords } from "./cell_mark.js";
import { AnswersInConcept } from "./concept_report.js";
import { awaySince } from "./words.js";

/** @import { Cell, MatrixRow } from "../../state/class_matrix.js" */
/** @import { ClassProgress } from "../../types.d.ts" */
/**
 * @typedef {{ userId?: string, place?: number }} Opened both: the answers; `userId`: the learner; `place`: the concept
 */

/**
 * @param {{ opened: Opened, progress: ClassProgress, rows: MatrixRow[], onClose: () => void }} props
 */
export function ClassDialog({ opened, progress, rows, onClose }) {
  const now = useSignal(opened);
  const { userId, place } = now.value;
  const row = rows.find(({ learner }) => learner.userId === userId);
  const concept = place === undefined ? undefined : progress.concepts[place];
  const content = useRef(/** @type {HTMLDivElement | null} */ (null));
  const isInside = now.value !== opened;
  useEffect(() => {
    if (isInside) content.current?.focus();
  }, [now.value]);
  const open = (/** @type {Opened} */ next) => {
    now.value = next;
  };
  const title = titleOf(row, concept);
  return html`<${Dialog} kind="wide" title=${title} onClose=${onClose}>
    <div class="cl-dialog" tabindex="-1" ref=${content}>
      ${
        row &&
        concept &&
        place !== undefined &&
        html`<${AnswersInConcept}
          key=${`${userId} ${concept.nodeId}`}
          classId=${progress.classId}
          learnerId=${row.learner.userId}
          nodeId=${concept.nodeId}
          cell=${row.cells[place]}
        />`
      }
      ${row && !concept && html`<${OneLearner} row=${row} progress=${progress} onOpen=${open} />`}
      ${!row && place !== undefined && html`<${OneConcept} place=${place} rows=${rows} onOpen=${open} />`}
    </div>
    <div class="row dialog-foot">
      ${isInside && html`<button class="btn flat" type="button" onClick=${() => open(opened)}>${t("cl.back")}</button>`}
      <button class="btn" type="button" onClick=${onClose}>${t("cl.close")}</button>
    </div>
  <//>`;
}

/** @param {MatrixRow | undefined} row @param {{ title: string } | undefined} concept */
function titleOf(row, concept) {
  if (row && concept) return t("cl.report_title", { name: row.learner.displayName, title: concept.title });
  return row?.learner.displayName ?? concept?.title ?? "";
}

/** @param {{ row: MatrixRow, progress: ClassProgress, onOpen: (next: Opened) => void }} props */
const OneLearner = ({ row: { learner, cells }, progress, onOpen }) => html`
  <p class="dim t13">
    ${commaJoined([
      t("cl.here", { day: awaySince(learner.lastActiveAt) }),
      learner.due > 0 && t("cl.due_now", { n: learner.due }),
      learner.studySeconds > 0 && t("cl.studied", { time: studyTime(learner.studySeconds) }),
    ])}
  </p>
  ${!learner.hasCopy && html`<p>${t("cl.no_copy")}</p>`}
  <ul class="cl-picks">
    ${cells.map(
      (cell, place) =>
        cell.state !== null &&
        html`<${Pick}
          key=${place}
          cell=${cell}
          title=${progress.concepts[place].title}
          onOpen=${() => onOpen({ userId: learner.userId, place })}
        />`,
    )}
  </ul>
`;

/** @param {{ place: number, rows: MatrixRow[], onOpen: (next: Opened) => void }} props */
const OneConcept = ({ place, rows, onOpen }) => html`<ul class="cl-picks">
  ${sortedRows(rows, { by: place, isDescending: true }).map(
    ({ learner, cells }) =>
      cells[place].state !== null &&
      html`<${Pick}
        key=${learner.userId}
        cell=${cells[place]}
        title=${learner.displayName}
        onOpen=${() => onOpen({ userId: learner.userId, place })}
      />`,
  )}
</ul>`;

/** @param {{ cell: Cell, title: string, onOpen: () => void }} props */
const Pick = ({ cell, title, onOpen }) => html`<li>
  <button type="button" onClick=${onOpen}>
    <${CellMark} cell=${cell} />
    <b dir="auto">${title}</b>
    <span class="t13 dim">${cellWords(cell)}</span>
  </button>
</li>`;
