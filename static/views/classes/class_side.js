// @ts-check
/** Side column of a class: where most are stuck, and the mix-ups. */

import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import { hardestConcepts } from "../../state/class_matrix.js";
import { ClassMixUps } from "./class_mix_ups.js";

/** @import { ClassProgress } from "../../types.d.ts" */
/** @import { Opened } from "./class_dialog.js" */

const MOST_SHOWN = 3;

/** @param {{ progress: ClassProgress, onOpen: (next: Opened) => void, onSent: () => Promise<void> }} props */
export const ClassSide = ({ progress, onOpen, onSent }) => html`
  <${Hardest} progress=${progress} onOpen=${onOpen} />
  <${ClassMixUps} progress=${progress} onSent=${onSent} />
`;

/** @param {{ progress: ClassProgress, onOpen: (next: Opened) => void }} props */
function Hardest({ progress, onOpen }) {
  const hardest = hardestConcepts(progress).slice(0, MOST_SHOWN);
  return html`<section aria-labelledby="class-hardest">
    <h2 id="class-hardest">${t("cl.hardest")}</h2>
    ${!hardest.length && html`<p class="dim">${t("cl.hardest_none")}</p>`}
    <ol class="cl-hard">
      ${hardest.map((place) => {
        const { nodeId, title, stuck } = progress.concepts[place];
        return html`<li key=${nodeId}>
          <button type="button" onClick=${() => onOpen({ place })} dir="auto">${title}</button>
          <span class="dim">${t("cl.of", { n: stuck, all: progress.learners.length })}</span>
        </li>`;
      })}
    </ol>
  </section>`;
}
