// @ts-check
/** Recall in reviews: how many parts the schedule expected to be remembered, and how many were. */

import { t } from "../../i18n/you.js";
import { count } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { settingsUrl } from "../../state/router.js";

/** @import { Recall } from "../../types.d.ts" */

/** @param {{ recall: Recall }} props */
export const RecallCompared = ({ recall }) => html`<section class="recall" aria-labelledby="recall">
  <h2 id="recall">${t("pg.recall")}</h2>
  ${recall.finding === "too_few" ? html`<${TooFew} recall=${recall} />` : html`<${Compared} recall=${recall} />`}
</section>`;

/** @param {{ recall: Recall }} props */
const TooFew = ({ recall }) =>
  html`<p class="dim">${t("pg.recall_too_few", { n: recall.reviews, needed: recall.needed })}</p>`;

/** @param {{ recall: Recall }} props */
function Compared({ recall }) {
  const expected = Math.round(recall.predicted);
  return html`
    <dl>
      <${Bar} name=${t("pg.recall_expected")} n=${expected} of=${recall.reviews} />
      <${Bar} name=${t("pg.recall_came")} n=${recall.recalled} of=${recall.reviews} />
    </dl>
    <p class="dim">
      ${t("pg.recall_says", { n: recall.reviews, weeks: recall.weeks })} ${t(`pg.recall_${recall.finding}`)}
      ${recall.finding !== "as_predicted" && html` <a href=${settingsUrl()}>${t("pg.recall_settings")}</a>`}
    </p>
  `;
}

/** @param {{ name: string, n: number, of: number }} props */
const Bar = ({ name, n, of }) => html`<div>
  <dt>${name}</dt>
  <dd>
    <span class="mast" aria-hidden="true"><i style=${{ inlineSize: `${(100 * n) / of}%` }}></i></span>
    ${t("pg.recall_of", { n: count(n), of: count(of) })}
  </dd>
</div>`;
