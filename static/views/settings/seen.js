// @ts-check
/** What the teacher of a class sees of the learner, made by the query of the teacher's own page. */

import { useEffect } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { studyTime } from "../../lib/dates.js";
import { commaJoined, day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import * as api from "../../net/api.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { settingsUrl } from "../../state/router.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Mark } from "../common/node_state_shapes.js";
import { Shell } from "../common/shell.js";

/** @import { ClassModel, JoinedClass, SeenPath, Status } from "../../types.d.ts" */

/** @param {{ classId: string }} props */
export function SeenScreen({ classId }) {
  const loading = useLoaded(async () => {
    const [paths, joined, status] = await Promise.all([
      membershipsApi.seen(classId),
      membershipsApi.joined(),
      api.status(),
    ]);
    return { paths, of: joined.find(({ id }) => id === classId), status };
  });
  useEffect(() => {
    document.title = t("jn.seen_page");
  }, []);
  const found = loading.found.value;
  const crumbs = [
    { title: common("nav.settings"), url: settingsUrl() },
    { title: t("jn.see"), url: null },
  ];
  return html`<${Shell} crumbs=${crumbs}>
    <div class="wrap pg st">
      <header><h1 class="t24">${t("jn.see")}</h1></header>
      <${LoadingState} of=${loading} words=${t("jn.seen_loading")} />
      ${found?.of && html`<${Says} of=${found.of} status=${found.status} />`}
      ${found && !found.paths.length && html`<p class="dim">${t("jn.seen_none")}</p>`}
      ${found?.paths.map((path) => html`<${Seen} key=${path.givenId} path=${path} />`)}
    </div>
  <//>`;
}

/** @param {{ of: JoinedClass, status: Status }} props */
const Says = ({ of: { name, teacher, model, recordStore, sendsNames }, status }) => html`
  <p class="seen-says">${t("jn.seen_says", { name, teacher })}</p>
  <p class="seen-says">${modelWords(model, status)}</p>
  ${
    recordStore &&
    html`<p class="seen-says">${t(sendsNames ? "jn.seen_sent_named" : "jn.seen_sent", { host: recordStore })}</p>`
  }
`;

/** Who reads what is written on the class's paths. @param {ClassModel} model @param {Status} status */
function modelWords(model, { model: { offline, server }, localModel }) {
  if (model === "local" && localModel) return t("jn.seen_model_local", { host: localModel.server });
  if (model !== "on") return t("jn.seen_model_off");
  return offline ? t("jn.seen_model_here") : t("jn.seen_model_on", { host: server ?? "Anthropic" });
}

/** @param {{ path: SeenPath }} props */
function Seen({ path }) {
  const { title, row, mixUps } = path;
  return html`<section aria-labelledby=${path.givenId}>
    <h2 id=${path.givenId}>${title}</h2>
    <div class="st-in">${row.hasCopy ? html`<${SeenRow} path=${path} />` : html`<p>${t("jn.seen_no_copy")}</p>`}
      ${
        mixUps.length > 0 &&
        html`
          <h3 class="lbl">${t("jn.seen_mix_ups")}</h3>
          <ul>
            ${mixUps.map((statement) => html`<li key=${statement}>${t("jn.seen_statement", { statement })}</li>`)}
          </ul>
        `
      }
    </div>
  </section>`;
}

/** @param {{ path: SeenPath }} props */
const SeenRow = ({ path: { title, concepts, row } }) => html`
  <dl class="st-facts">
    <dt>${t("jn.seen_last")}</dt>
    <dd>${day(row.lastActiveAt, api.serverNow())}</dd>
    <dt>${t("jn.seen_time")}</dt>
    <dd>${studyTime(row.studySeconds)}</dd>
    <dt>${t("jn.seen_due")}</dt>
    <dd>${t("jn.seen_parts", { n: row.due })}</dd>
  </dl>
  <ul class="seen" aria-label=${t("jn.seen_concepts", { title })}>
    ${concepts.map((concept, at) => {
      const state = stateOf(row.states[at]);
      return html`<li key=${at}>
        ${state ? html`<${Mark} state=${state} />` : html`<span></span>`}
        <p dir="auto">${concept} <small>${standing(row, at)}</small></p>
      </li>`;
    })}
  </ul>
`;

/** A state by its name on the page. @param {SeenPath["row"]["states"][number]} state */
const stateOf = (state) => (state === "in_progress" ? "progress" : state);

/** "In progress, stuck". @param {SeenPath["row"]} row @param {number} at place of the concept */
function standing(row, at) {
  const state = stateOf(row.states[at]);
  return commaJoined([
    state ? common(`state.${state}`) : t("jn.seen_missing"),
    row.stuck.includes(at) && t("jn.seen_stuck"),
    row.unsure.includes(at) && t("jn.seen_unsure"),
    row.dueConcepts.includes(at) && common("state.due"),
  ]);
}
