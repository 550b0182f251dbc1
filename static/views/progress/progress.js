// @ts-check
/** Progress screen: summary, curve, calendar, weak spots, exports. */

import { batch, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { studyTime } from "../../lib/dates.js";
import { commaJoined, count, money } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import { onReconnect } from "../../net/connection.js";
import * as learnerApi from "../../net/learner_api.js";
import * as pathsApi from "../../net/paths_api.js";
import { summary } from "../../state/progress.js";
import { pathUrl, pathsUrl } from "../../state/router.js";
import { onRunChanges } from "../../state/tab_stream.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { Mark } from "../common/node_state_shapes.js";
import { Fault, Shell } from "../common/shell.js";
import { Calendar } from "./calendar.js";
import { Curve } from "./curve.js";
import { WeakSpots } from "./weak_spots.js";

/** @import { PathSummary, ProgressReport, Status } from "../../types.d.ts" */
/** @import { Span } from "../../state/progress.js" */

/** @type {Span[]} */
const CHOICES = ["month", "quarter", "year"];
/** The chosen span and path; kept while other screens are open. */
const span = signal(/** @type {Span} */ ("quarter"));
const chosen = signal(/** @type {string | null} */ (null));

const MIX_UPS = "/progress/mix-ups";
const mixUpsScreen = lazy(async () => {
  const [{ MixUpsScreen }] = await Promise.all([import("./mix_ups.js"), loadSheet("styles/mixups.css")]);
  return MixUpsScreen;
});

/** The report or, at its own address, the mix-ups. */
export const ProgressScreen = () =>
  location.pathname === MIX_UPS ? html`<${mixUpsScreen.View} />` : html`<${ReportScreen} />`;

function ReportScreen() {
  const report = useSignal(/** @type {ProgressReport | null} */ (null));
  const status = useSignal(/** @type {Status | null} */ (null));
  const paths = useSignal(/** @type {PathSummary[]} */ ([]));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(false);

  const load = async () => {
    const branchId = chosen.value;
    busy.value = true;
    try {
      const all = await pathsApi.paths();
      const there = all.some(({ branch }) => branch.id === branchId) ? branchId : null; // a path may have been deleted
      const [found, known] = await Promise.all([learnerApi.progress(there), api.status()]);
      if (chosen.value !== branchId) return;
      batch(() => {
        chosen.value = there;
        paths.value = all;
        report.value = found;
        status.value = known;
        problem.value = null;
      });
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      busy.value = false;
    }
  };
  useEffect(() => {
    document.title = t("pg.page");
    load();
    const leave = [onRunChanges(load), onReconnect(load)];
    return () => leave.forEach((job) => job());
  }, []);

  const choose = (/** @type {string} */ branchId) => {
    chosen.value = branchId || null;
    load();
  };
  const isEmpty = report.value && !report.value.begun.length && !report.value.studied.length;
  return html`<${Shell}>
    <div class="wrap pg" aria-busy=${busy.value || undefined}>
      <header>
        <h1 class="t24">${t("pg.title")}</h1>
        ${report.value && !(isEmpty && !chosen.value) && html`<${Choices} paths=${paths.value} onPath=${choose} />`}
      </header>
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} busy=${busy.value} />`}
      ${!report.value && !problem.value && html`<p class="loading dimmer" role="status">${t("pg.loading")}</p>`}
      ${isEmpty && html`<${EmptyProgress} />`}
      ${
        report.value &&
        !isEmpty &&
        html`<${ProgressReportView}
          report=${report.value}
          status=${status.value}
          path=${paths.value.find(({ branch }) => branch.id === chosen.value || paths.value.length === 1)}
        />`
      }
    </div>
  <//>`;
}

/** @param {{ paths: PathSummary[], onPath: (branchId: string) => void }} props */
const Choices = ({ paths, onPath }) => html`
  <div class="seg sp" role="group" aria-label=${t("pg.span")}>
    ${CHOICES.map(
      (each) =>
        html`<button
          key=${each}
          type="button"
          aria-pressed=${span.value === each}
          onClick=${() => {
            span.value = each;
          }}
        >
          ${t(`pg.${each}`)}
        </button>`,
    )}
  </div>
  ${
    paths.length > 1 &&
    html`<label class="pick">
      <span class="vh">${t("pg.path")}</span>
      <select
        value=${chosen.value ?? ""}
        onChange=${(/** @type {Event} */ event) => onPath(/** @type {HTMLSelectElement} */ (event.target).value)}
      >
        <option value="" selected=${!chosen.value}>${t("pg.all")}</option>
        ${paths.map(
          ({ branch }) => html`<option key=${branch.id} value=${branch.id} selected=${branch.id === chosen.value}>
            ${branch.title}
          </option>`,
        )}
      </select>
      <${Icon} name="down" small />
    </label>`
  }
`;

const EmptyProgress = () => html`<section class="pg-empty">
  <${Mark} state="ready" />
  <div>
    <h2 class="t18">${t("pg.empty_title")}</h2>
    <p class="dim">${t(chosen.value ? "pg.empty_path" : "pg.empty")}</p>
    <p>
      <a class="btn go" href=${chosen.value ? pathUrl(chosen.value) : pathsUrl()}>
        ${t(chosen.value ? "pg.open_path" : "pg.empty_go")}
      </a>
    </p>
  </div>
</section>`;

/** @param {{ report: ProgressReport, status: Status | null, path: PathSummary | undefined }} props */
function ProgressReportView({ report, status, path }) {
  const now = useMemo(api.serverNow, [report]);
  return html`
    <${SummaryFigures} report=${report} status=${status} nowMs=${now} />
    <div class="two">
      <${Curve} turns=${report.turns} span=${span.value} nowMs=${now} />
      <${Calendar} studied=${report.studied} span=${span.value} nowMs=${now} />
    </div>
    <${WeakSpots} begun=${report.begun} withPaths=${!path} />
    <section class="weak" aria-labelledby="mixups">
      <h2 id="mixups">${t("pg.mix_ups")}</h2>
      <p class="dim">${t("pg.mix_ups_says")} <a href=${MIX_UPS}>${t("pg.mix_ups_see")}</a></p>
    </section>
    <${Exports} path=${path} />
  `;
}

/** The change of the number learned since a week ago. @param {number} more @param {number} all */
function gainWords(more, all) {
  if (more > 0) return t("pg.more", { n: more });
  return more < 0 ? t("pg.less", { n: -more }) : t("pg.same", { all });
}

/** @param {{ report: ProgressReport, status: Status | null, nowMs: number }} props */
function SummaryFigures({ report, status, nowMs }) {
  const now = useMemo(() => summary(report, nowMs), [report, nowMs]);
  const all = report.parts;
  return html`<dl class="nums">
    <div>
      <dt>${t("pg.learned")}</dt>
      <dd>
        ${count(now.learned)}
        <small>
          ${commaJoined([gainWords(now.more, all), now.mastered > 0 && t("pg.of_mastered", { n: now.mastered })])}
        </small>
      </dd>
    </div>
    <div><dt>${t("pg.begun")}</dt><dd>${count(now.begun)}<small>${t("pg.begun_of", { all })}</small></dd></div>
    <div>
      <dt title=${t("pg.time_how")}>${t("pg.time")}</dt>
      <dd>${studyTime(now.seconds)}<small>${t("pg.days", { n: now.days })}</small></dd>
    </div>
    <div><dt>${t("pg.cost")}</dt><dd>${money(report.cost.usd)}<small>${status && budgetWords(status)}</small></dd></div>
  </dl>`;
}

/** The learner's daily budget in words. @param {Status} status */
function budgetWords({ model, budget }) {
  if (model.offline) return t("pg.cost_free");
  const own = budget.learner ?? budget.deployment;
  if (!own) return t("pg.cost_none");
  return own.limitUsd === null
    ? t("pg.cost_tokens", { spent: count(own.spentTokens), limit: count(own.limitTokens ?? 0) })
    : t("pg.cost_budget", { spent: money(own.spentUsd), limit: money(own.limitUsd) });
}

/** @param {{ path: PathSummary | undefined }} props */
function Exports({ path }) {
  const files = learnerApi.exportUrls(path?.branch.id ?? null);
  return html`<section class="ex" aria-labelledby="take">
    <h2 id="take" class="dim">${t("pg.take")}</h2>
    <a class="btn sm" href=${files.anki} download><${Icon} name="export" small />${t("pg.anki")}</a>
    <a class="btn sm" href=${files.answers} download>${t("pg.answers_csv")}</a>
    <a class="btn sm" href=${files.mastery} download>${t("pg.mastery_csv")}</a>
    ${
      files.path &&
      html`<a class="btn sm" href=${files.path} download="${path?.branch.title ?? ""}.json">${t("pg.graph_json")}</a>`
    }
    <p class="t13 dimmer">${t("pg.take_says")}</p>
  </section>`;
}
