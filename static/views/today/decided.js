// @ts-check
/** Notice of what a teacher has decided about answers, until its learner has seen it. */

import { t } from "../../i18n/desk.js";
import { shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { pathUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";

/** @import { TeacherDecision } from "../../types.d.ts" */

const MOST = 3;
const LONGEST = 120;

/** @param {{ decisions: TeacherDecision[], onSeen: () => void }} props */
export const Decided = ({ decisions, onSeen }) => html`<section class="decided" aria-labelledby="decided">
  <h2 id="decided"><${Icon} name="check" small />${t("dn.title", { n: decisions.length })}</h2>
  <ul>
    ${decisions.slice(0, MOST).map(
      (one) => html`<li key=${one.id}>
        <span dir="auto">${shorten(one.prompt, LONGEST)}</span>
        <b>
          ${
            one.branchId
              ? html`<a href=${pathUrl(one.branchId, one.nodeId)}>${t(`dn.${one.decision}`)}</a>`
              : t(`dn.${one.decision}`)
          }
        </b>
      </li>`,
    )}
  </ul>
  <button class="btn sm" type="button" onClick=${onSeen}>${t("dn.seen")}</button>
</section>`;
