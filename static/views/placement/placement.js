// @ts-check
/** Placement screen: one question after the other, then what is known, ready and later. */

import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/placement.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { openPlacement } from "../../state/placement.js";
import { homeUrl, pathUrl } from "../../state/router.js";
import { usePathContext } from "../common/path_context.js";
import { EmptyScreen, Fault, Loading, Shell } from "../common/shell.js";
import { QuestionForm } from "../review/question.js";
import { PlacementResult } from "./result.js";

/** @import { OpenPlacement } from "../../state/placement.js" */
/** @import { PlacementSession } from "../../types.d.ts" */

await loadSheet("styles/placement.css");
const [GONE, CONFLICT] = [404, 409];

/** @param {{ branchId: string, nodeId?: string }} props */
export function PlacementScreen({ branchId, nodeId }) {
  const opened = useMemo(() => openPlacement(branchId, nodeId), [branchId, nodeId]);
  useEffect(() => opened.close, [opened]);
  const around = usePathContext(branchId);
  const session = opened.session.value;
  const title = nodeId ? (session?.title ?? "") : t("pl.title");
  useEffect(() => {
    document.title = nodeId ? t("pl.check_page", { title }) : t("pl.page");
  }, [title]);
  const crumbs = [
    { title: common("nav.paths"), url: homeUrl() },
    { title: around.value?.title ?? "", url: pathUrl(branchId) },
    { title: nodeId ? t("pl.check") : title, url: null },
  ];
  const isOpen = session !== null && !session.endedAt;
  const later = isOpen && html`<a class="btn flat sm" href=${pathUrl(branchId)}>${t("pl.later")}</a>`;
  return html`<${Shell} crumbs=${crumbs} tools=${later}>${body(opened, branchId)}<//>`;
}

/** @param {OpenPlacement} opened @param {string} branchId */
function body(opened, branchId) {
  const [problem, session] = [opened.problem.value, opened.session.value];
  if (problem?.status === GONE)
    return html`<${EmptyScreen} title=${common("error.gone")} text=${common("not_found.text")}>
      <p><a href=${homeUrl()}>${common("not_found.home")}</a></p>
    <//>`;
  if (problem?.status === CONFLICT)
    return html`<${EmptyScreen} title=${t("pl.nothing")} text=${problem.message}>
      <p><a class="btn go" href=${pathUrl(branchId)}>${t("pl.back")}</a></p>
    <//>`;
  if (problem)
    return html`<div class="wrap blank"><${Fault} message=${problem.message} onRetry=${opened.load} /></div>`;
  if (opened.loading.value || !session) return html`<${Loading} words=${t("pl.loading")} />`;
  if (!session.question) return html`<${PlacementResult} opened=${opened} session=${session} />`;
  const { concept, title, ...question } = session.question;
  const asked = { ...question, path: concept, concept: title, covers: [], comesBack: false };
  return html`<section class="rv pl">
    <${Progress} session=${session} />
    <${QuestionForm} key=${question.itemId} opened=${opened} question=${asked} ways=${t("pl.ways")} />
    ${
      session.kind === "path" &&
      session.answered > 0 &&
      html`<p class="pl-end">
        <button class="link t13" type="button" disabled=${opened.busy.value !== null} onClick=${opened.finish}>
          ${t("pl.end")}
        </button>
      </p>`
    }
  </section>`;
}

/** @param {{ session: PlacementSession }} props */
function Progress({ session: { answered, questions, minutesLeft } }) {
  const words = t("pl.count", { done: answered, n: questions });
  return html`<div class="rv-top">
    <p class="rv-count"><b>${t("pl.left", { n: minutesLeft })}</b><span>${words}</span></p>
    <div
      class="rv-segments"
      role="progressbar"
      aria-label=${t("pl.title")}
      aria-valuemin="0"
      aria-valuemax=${questions}
      aria-valuenow=${answered}
      aria-valuetext=${words}
    >
      ${Array.from({ length: questions }, (_, at) => html`<i key=${at} class=${segment(at, answered)}></i>`)}
    </div>
    ${answered === 0 && html`<p class="t13 dim">${t("pl.no_harm")}</p>`}
  </div>`;
}

/** @param {number} at @param {number} answered */
function segment(at, answered) {
  if (at === answered) return "current";
  return at < answered ? "answered" : "";
}
