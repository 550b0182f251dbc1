// @ts-check
/** Mix-ups of a class: how many hold each, the contrast question that can be sent, and what came of it. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import { serverNow } from "../../net/api.js";
import * as classesApi from "../../net/classes_api.js";
import { daysAway } from "../../state/class_matrix.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { Problem } from "./confirm_dialog.js";

/** @import { ClassMixUp, ClassProgress } from "../../types.d.ts" */

/** So long what came of a question stands alone; then it can be sent again. */
const ALONE_DAYS = 7;
/** More are shown when asked for. */
const FIRST = 5;

/** @param {{ progress: ClassProgress, onSent: () => Promise<void> }} props */
export function ClassMixUps({ progress, onSent }) {
  const showsAll = useSignal(false);
  const all = progress.mixUps;
  const shown = showsAll.value ? all : all.slice(0, FIRST);
  return html`<section aria-labelledby="class-mix-ups">
    <h2 id="class-mix-ups">${t("cl.mixups")}</h2>
    ${!all.length && html`<p class="dim">${t("cl.mixups_none")}</p>`}
    <ol class="cl-mis">
      ${shown.map((mixUp) => html`<${MixUp} key=${mixUp.id} mixUp=${mixUp} progress=${progress} onSent=${onSent} />`)}
    </ol>
    ${
      shown.length < all.length &&
      html`<button
        class="link"
        type="button"
        onClick=${() => {
          showsAll.value = true;
        }}
      >
        ${t("cl.mixups_all", { n: all.length })}
      </button>`
    }
  </section>`;
}

/** @param {{ mixUp: ClassMixUp, progress: ClassProgress, onSent: () => Promise<void> }} props */
function MixUp({ mixUp, progress: { classId, givenId, learners }, onSent }) {
  const deed = useDeed();
  const all = learners.length;
  const send = () =>
    deed.run(async () => {
      await classesApi.sendContrast(classId, { givenId, mixUpId: mixUp.id });
      await onSent();
    });
  const daysSince = mixUp.sent && daysAway(mixUp.sent.at, serverNow());
  return html`<li>
    <p class="say">${t("cl.says", { statement: mixUp.statement })}</p>
    <p class="t13 dim">${t("cl.hold", { n: mixUp.held, all })}</p>
    <span class="cl-hold" aria-hidden="true">
      <i style=${{ inlineSize: `${Math.round((100 * mixUp.held) / Math.max(1, all))}%` }}></i>
    </span>
    ${
      mixUp.sent &&
      html`<p class="status leaf">
        <${Icon} name="check" small /><span>${sentWords(mixUp.sent, daysSince ?? 0)}</span>
      </p>`
    }
    ${
      mixUp.canSend &&
      (daysSince === null || daysSince >= ALONE_DAYS) &&
      html`<button
        class="btn sm"
        type="button"
        aria-label=${t("cl.send_about", { statement: mixUp.statement })}
        aria-busy=${deed.busy.value || undefined}
        onClick=${send}
      >
        ${t(deed.busy.value ? "cl.sending" : "cl.send")}
      </button>`
    }
    ${!mixUp.canSend && !mixUp.sent && html`<p class="t13 dim">${t("cl.cannot_send")}</p>`}
    <${Problem} words=${deed.problem.value} />
  </li>`;
}

/** @param {NonNullable<ClassMixUp["sent"]>} sent @param {number} days */
function sentWords({ to, answered, cleared }, days) {
  const facts = { answered, to, cleared };
  if (days === 0) return t("cl.sent_today", facts);
  return days === 1 ? t("cl.sent_yesterday", facts) : t("cl.sent_days", { n: days, ...facts });
}
