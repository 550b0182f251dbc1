// @ts-check
/** Progress of a class in one path: the filters, the matrix or its lists, and what a click opens. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/classes.js";
import { typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { FIRST_ORDER, filteredRows, hardestConcepts, rowsOf, sortedRows } from "../../state/class_matrix.js";
import { useIsNarrow } from "../common/media_query.js";
import { CellLegend } from "./cell_mark.js";
import { ClassDialog } from "./class_dialog.js";
import { Matrix } from "./matrix.js";
import { ConceptList, LearnerList } from "./narrow_lists.js";

/** @import { Order } from "../../state/class_matrix.js" */
/** @import { ClassProgress, GivenPath } from "../../types.d.ts" */
/** @import { Opened } from "./class_dialog.js" */

const MOST_HARDEST = 3;

/**
 * @param {{
 *   progress: ClassProgress,
 *   given: GivenPath[],
 *   opened: { value: Opened | null },
 *   onChoose: (givenId: string) => void,
 * }} props `opened`: what the dialog shows, which the side column opens too
 */
export function ClassProgressView({ progress, given, opened, onChoose }) {
  const isNarrow = useIsNarrow();
  const name = useSignal("");
  const stuckOnly = useSignal(false);
  const order = useSignal(FIRST_ORDER);
  const view = useSignal(/** @type {"concept" | "learner"} */ ("concept"));
  const all = useMemo(() => rowsOf(progress), [progress]);
  const rows = useMemo(
    () => sortedRows(filteredRows(all, name.value, stuckOnly.value), order.value),
    [all, name.value, stuckOnly.value, order.value],
  );
  const byConcept = isNarrow && view.value === "concept";
  const openLearner = (/** @type {string} */ userId) => {
    opened.value = { userId };
  };
  return html`
    ${given.length > 1 && html`<${PathChoice} given=${given} chosen=${progress.givenId} onChoose=${onChoose} />`}
    ${isNarrow && html`<${ViewSwitch} view=${view} />`}
    ${!byConcept && html`<${Filters} name=${name} stuckOnly=${stuckOnly} />`}
    ${!progress.concepts.length && html`<p class="dim">${t("cl.no_concepts")}</p>`}
    ${!byConcept && !rows.length && html`<p class="dim" role="status">${t("cl.none_found")}</p>`}
    ${
      byConcept &&
      html`<${ConceptList}
        progress=${progress}
        rows=${all}
        onConcept=${(/** @type {number} */ place) => {
          opened.value = { place };
        }}
      />`
    }
    ${isNarrow && !byConcept && html`<${LearnerList} rows=${rows} onLearner=${openLearner} />`}
    ${
      !isNarrow &&
      html`<${Matrix}
        progress=${progress}
        rows=${rows}
        hardest=${hardestConcepts(progress).slice(0, MOST_HARDEST)}
        order=${order.value}
        onOrder=${(/** @type {Order} */ next) => {
          order.value = next;
        }}
        onLearner=${openLearner}
        onCell=${(/** @type {string} */ userId, /** @type {number} */ place) => {
          opened.value = { userId, place };
        }}
      />`
    }
    <${CellLegend} />
    ${
      opened.value &&
      html`<${ClassDialog}
        opened=${opened.value}
        progress=${progress}
        rows=${all}
        onClose=${() => {
          opened.value = null;
        }}
      />`
    }
  `;
}

/** @param {{ given: GivenPath[], chosen: string, onChoose: (givenId: string) => void }} props */
const PathChoice = ({ given, chosen, onChoose }) => html`<div class="cl-path">
  <label class="lbl" for="class-path">${t("cl.path")}</label>
  <select
    class="field"
    id="class-path"
    value=${chosen}
    onChange=${(/** @type {any} */ event) => onChoose(event.target.value)}
  >
    ${given.map(({ id, title }) => html`<option key=${id} value=${id}>${title}</option>`)}
  </select>
</div>`;

/** @param {{ view: { value: "concept" | "learner" } }} props */
const ViewSwitch = ({ view }) => html`<div class="seg cl-seg" role="group" aria-label=${t("cl.view")}>
  ${
    /** @type {const} */ (["concept", "learner"]).map(
      (each) => html`<button
      key=${each}
      type="button"
      aria-pressed=${view.value === each}
      onClick=${() => {
        view.value = each;
      }}
    >
      ${t(`cl.by.${each}`)}
    </button>`,
    )
  }
</div>`;

/** @param {{ name: { value: string }, stuckOnly: { value: boolean } }} props */
const Filters = ({ name, stuckOnly }) => html`<div class="row cl-filters">
  <input
    class="field"
    type="search"
    aria-label=${t("cl.find")}
    placeholder=${t("cl.find")}
    value=${name.value}
    onInput=${typedInto(name)}
  />
  <label class="cl-check">
    <input
      type="checkbox"
      checked=${stuckOnly.value}
      onChange=${(/** @type {any} */ event) => {
        stuckOnly.value = event.target.checked;
      }}
    />
    <span>${t("cl.stuck_only")}</span>
  </label>
</div>`;
