// @ts-check
/** Concepts with the reasons for where each stands: its parts in words, and the answers that count. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { begunState } from "../../state/graph.js";
import { standing } from "../../state/progress.js";
import { lessonUrl } from "../../state/router.js";
import { Mark } from "../common/node_state_shapes.js";
import { EvidenceList } from "./evidence.js";
import { SpotTitle } from "./spot_title.js";

/** @import { Begun, BegunConcept, ProgressReport } from "../../types.d.ts" */

/** @param {{ report: ProgressReport, withPaths: boolean }} props */
export const Concepts = ({ report, withPaths }) => html`<section class="weak" aria-labelledby="concepts">
  <header>
    <h2 id="concepts">${t("pg.concepts")}</h2>
    <span class="t13 dimmer">${t("pg.concepts_says")}</span>
  </header>
  <ul class="cc">
    ${report.concepts.map(
      (concept) =>
        html`<${Concept} key=${concept.nodeId} report=${report} concept=${concept} withPaths=${withPaths} />`,
    )}
  </ul>
</section>`;

/** @param {{ report: ProgressReport, concept: BegunConcept, withPaths: boolean }} props */
function Concept({ report, concept, withPaths }) {
  const open = useSignal(false);
  const id = useId();
  const now = standing(report, concept);
  const isLearned = now.learned === concept.parts;
  const state = begunState({ learned: isLearned, mastered: now.mastered === concept.parts });
  return html`<li>
    <div class="spot">
      <${Mark} state=${state} mastery=${now.learned / concept.parts} />
      <span>
        <${SpotTitle} title=${concept.title} open=${open} id=${id} />
        <span class="t13 dim">
          ${commaJoined([
            t("pg.concept_learned", { n: concept.parts, learned: now.learned }),
            now.mastered > 0 && t("pg.of_mastered", { n: now.mastered }),
          ])}
        </span>
        ${withPaths && html`<span class="t13 dimmer">${concept.branchTitle}</span>`}
      </span>
    </div>
    ${open.value && html`<${Reasons} id=${id} concept=${concept} now=${now} />`}
  </li>`;
}

/** @param {{ id: string, concept: BegunConcept, now: ReturnType<typeof standing> }} props */
function Reasons({ id, concept, now }) {
  const showsAnswers = useSignal(false);
  return html`<div class="cc-why" id=${id}>
    <ul>${now.parts.map((part) => html`<${PartReason} key=${part.nodeId} part=${part} />`)}</ul>
    ${now.notBegun > 0 && html`<p class="dim">${t("pg.not_begun", { n: now.notBegun })}</p>`}
    ${
      now.answers > 0 &&
      html`<details
        onToggle=${(/** @type {Event} */ event) => {
          showsAnswers.value = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
        }}
      >
        <summary>${t("pg.concept_answers")}</summary>
        ${
          showsAnswers.value &&
          html`<${EvidenceList} of=${{ nodeId: concept.nodeId, title: concept.title, answers: now.answers }} />`
        }
      </details>`
    }
  </div>`;
}

/** @param {{ part: Begun }} props */
const PartReason = ({ part }) => html`<li>
  <span class="spot">
    <${Mark} state=${begunState(part)} mastery=${part.mastery} />
    <span><b>${part.title}</b><span class="t13 dim">${t(reason(part), { n: part.rightNeeded })}</span></span>
  </span>
  <a
    class="btn sm"
    href=${lessonUrl(part.branchId, part.conceptId, part.nodeId)}
    aria-label=${t(part.learned ? "pg.look_at" : "pg.practise_it", { title: part.title })}
  >
    ${t(part.learned ? "pg.look" : "pg.practise")}
  </a>
</li>`;

/** Key of the sentence that says why a part is where it is. @param {Begun} part */
function reason({ learned, mastered, answers }) {
  if (mastered) return "pg.why_mastered";
  if (learned) return answers > 0 ? "pg.why_learned" : "pg.why_known";
  return "pg.why_begun";
}
