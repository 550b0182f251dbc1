// @ts-check
/** Weak spots, lowest mastery first, with their answers. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { begunState, LEARNED_AT } from "../../state/graph.js";
import { lessonUrl } from "../../state/router.js";
import { AnswerMarkIcon } from "../common/answer_mark.js";
import { Mark } from "../common/node_state_shapes.js";
import { EvidenceList } from "./evidence.js";
import { SpotTitle } from "./spot_title.js";

/** @import { AnswerMark, Begun } from "../../types.d.ts" */

const FIRST = 6;
const GOAL = Math.round(LEARNED_AT * 100);

/** @param {{ begun: Begun[], withPaths: boolean }} props */
export function WeakSpots({ begun, withPaths }) {
  const all = useSignal(false);
  const weak = begun.filter((each) => !each.learned);
  const shown = all.value ? weak : weak.slice(0, FIRST);
  return html`<section class="weak" aria-labelledby="weak">
    <header>
      <h2 id="weak">${t("pg.weak")}</h2>
      ${weak.length > 0 && html`<span class="t13 dimmer">${t("pg.weak_says")}</span>`}
    </header>
    ${
      weak.length
        ? html`<${Table} spots=${shown} withPaths=${withPaths} />`
        : html`<p class="dim">${t("pg.weak_none")}</p>`
    }
    ${
      shown.length < weak.length &&
      html`<p>
        <button
          class="btn sm"
          type="button"
          onClick=${() => {
            all.value = true;
          }}
        >
          ${t("pg.more_spots", { n: weak.length - shown.length })}
        </button>
      </p>`
    }
  </section>`;
}

/** @param {{ spots: Begun[], withPaths: boolean }} props */
const Table = ({ spots, withPaths }) => html`<table class="wt" aria-labelledby="weak">
  <thead>
    <tr>
      <th scope="col">${t("pg.subconcept")}</th>
      <th scope="col">${t("pg.mastery", { goal: GOAL })}</th>
      <th scope="col">${t("pg.last")}</th>
      <th scope="col">${t("pg.like")}</th>
      <th scope="col"><span class="vh">${t("pg.practise")}</span></th>
    </tr>
  </thead>
  <tbody>${spots.map((spot) => html`<${Spot} key=${spot.nodeId} spot=${spot} withPaths=${withPaths} />`)}</tbody>
</table>`;

/** @param {{ spot: Begun, withPaths: boolean }} props */
function Spot({ spot, withPaths }) {
  const open = useSignal(false);
  const id = useId();
  const n = Math.round(spot.mastery * 100);
  return html`
    <tr class=${open.value ? "open" : ""}>
      <td>
        <span class="spot">
          <${Mark} state=${begunState(spot)} mastery=${spot.mastery} />
          <span>
            <${SpotTitle} title=${spot.title} open=${open} id=${id} />
            ${withPaths && html`<span class="t13 dimmer">${spot.branchTitle}</span>`}
          </span>
        </span>
      </td>
      <td class="num">
        <span class="mast" role="img" aria-label=${t("pg.mastery_is", { n })}>
          <i style=${{ inlineSize: `${n}%` }}></i>
          <u></u>
        </span> <span class="dim" aria-hidden="true">${n}</span>
      </td>
      <td class="last"><${Last} marks=${spot.last} /></td>
      <td class="reason">
        ${spot.looksLike ?? html`<span class="none">${t("pg.like_none")}</span>`}
      </td>
      <td>
        <a
          class="btn sm"
          href=${lessonUrl(spot.branchId, spot.conceptId, spot.nodeId)}
          aria-label=${t("pg.practise_it", { title: spot.title })}
        >
          ${t("pg.practise")}
        </a>
      </td>
    </tr>
    ${open.value && html`<tr class="ev-row"><td colspan="5" id=${id}><${EvidenceList} of=${spot} /></td></tr>`}
  `;
}

/** @param {{ marks: AnswerMark[] }} props */
const Last = ({ marks }) =>
  marks.length > 0 &&
  html`<span class="ev" role="img" aria-label=${commaJoined(marks.map((mark) => t(`pg.mark_${mark}`)))}>
    ${marks.map((mark, i) => html`<${AnswerMarkIcon} key=${i} mark=${mark} />`)}
  </span>`;
