// @ts-check
/** Progress screen: summary, curve, calendar, recall, gains, weak spots, concepts, mix-ups, exports. */

import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { studyTime } from "../../lib/dates.js";
import { commaJoined, count, money, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import * as pathsApi from "../../net/paths_api.js";
import { summary } from "../../state/progress.js";
import { seesAnswerKeys } from "../../state/rights.js";
import { pathUrl, pathsUrl } from "../../state/router.js";
import { AnkiDeck } from "../common/anki_deck.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { NextCard } from "../common/next_card.js";
import { Mark } from "../common/node_state_shapes.js";
import { Shell } from "../common/shell.js";
import { Calendar } from "./calendar.js";
import { Concepts } from "./concepts.js";
import { Curve } from "./curve.js";
import { Gains } from "./gains.js";
import { RecallCompared } from "./recall.js";
import { WeakSpots } from "./weak_spots.js";

/** @import { MixUp, PathSummary, ProgressReport, Status } from "../../types.d.ts" */
/** @import { Span } from "../../state/progress.js" */

/** @type {Span[]} */
const CHOICES = ["month", "quarter", "year"];
/** The chosen span and path; kept while other screens are open. */
const span = signal(/** @type {Span} */ ("quarter"));
const chosen = signal(/** @type {string | null} */ (null));

const MIX_UPS = "/progress/mix-ups";
const MOST_CLEARED = 3;
const mixUpsScreen = lazy(async () => {
  const [{ MixUpsScreen }] = await Promise.all([import("./mix_ups.js"), loadSheet("styles/mixups.css")]);
  return MixUpsScreen;
});

/** The report or, at its own address, the mix-ups. */
export const ProgressScreen = () =>
  location.pathname === MIX_UPS ? html`<${mixUpsScreen.View} />` : html`<${ReportScreen} />`;

/** The report of the chosen path, or of all where that path is gone. */
async function fetchReport() {
  const paths = await pathsApi.paths();
  const branchId = paths.some(({ branch }) => branch.id === chosen.value) ? chosen.value : null;
  const [report, mixUps, status] = await Promise.all([
    learnerApi.progress(branchId),
    learnerApi.mixUps(branchId),
    api.status(),
  ]);
  return { paths, branchId, report, mixUps, status };
}

function ReportScreen() {
  const loading = useLoaded(fetchReport);
  const hasNext = useSignal(false);
  useEffect(() => {
    document.title = t("pg.page");
  }, []);
  const choose = (/** @type {string} */ branchId) => {
    chosen.value = branchId || null;
    loading.load();
  };
  const found = loading.found.value;
  const isEmpty = found && !found.report.begun.length && !found.report.studied.length;
  return html`<${Shell}>
    <div class="wrap pg" aria-busy=${loading.busy.value || undefined}>
      <header>
        <h1 class="t24">${t("pg.title")}</h1>
        ${found && !(isEmpty && !found.branchId) && html`<${Choices} paths=${found.paths} onPath=${choose} />`}
      </header>
      <${NextCard}
        onShown=${(/** @type {boolean} */ isShown) => {
          hasNext.value = isShown;
        }}
      />
      <${LoadingState} of=${loading} words=${t("pg.loading")} />
      ${isEmpty && html`<${EmptyProgress} branchId=${found.branchId} hasNext=${hasNext.value} />`}
      ${
        found &&
        !isEmpty &&
        html`<${ProgressReportView}
          report=${found.report}
          mixUps=${found.mixUps}
          status=${found.status}
          path=${found.paths.find(({ branch }) => branch.id === found.branchId || found.paths.length === 1)}
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

/** @param {{ branchId: string | null, hasNext: boolean }} props `hasNext`: whether the filled button stands above */
const EmptyProgress = ({ branchId, hasNext }) => html`<section class="pg-empty">
  <${Mark} state="ready" />
  <div>
    <h2 class="t18">${t("pg.empty_title")}</h2>
    <p class="dim">${t(branchId ? "pg.empty_path" : "pg.empty")}</p>
    <p>
      <a class=${hasNext ? "btn" : "btn go"} href=${branchId ? pathUrl(branchId) : pathsUrl()}>
        ${t(branchId ? "pg.open_path" : "pg.empty_go")}
      </a>
    </p>
  </div>
</section>`;

/** @param {{ report: ProgressReport, mixUps: MixUp[], status: Status, path: PathSummary | undefined }} props */
function ProgressReportView({ report, mixUps, status, path }) {
  const now = useMemo(api.serverNow, [report]);
  return html`
    <${SummaryFigures} report=${report} status=${status} nowMs=${now} />
    <div class="two">
      <${Curve} turns=${report.turns} span=${span.value} nowMs=${now} />
      <${Calendar} studied=${report.studied} span=${span.value} nowMs=${now} />
    </div>
    <div class="two facts-of">
      <${RecallCompared} recall=${report.recall} />
      <${Gains} report=${report} mixUps=${mixUps} nowMs=${now} />
    </div>
    <${WeakSpots} begun=${report.begun} withPaths=${!path} />
    <${Concepts} report=${report} withPaths=${!path} />
    <${MixUpSummary} mixUps=${mixUps} />
    <${Exports} path=${path} />
  `;
}

/** Numbers of the mix-ups, and those that were cleared last. @param {{ mixUps: MixUp[] }} props */
function MixUpSummary({ mixUps }) {
  const cleared = mixUps.filter((one) => one.state === "cleared");
  const open = mixUps.length - cleared.length;
  const last = [...cleared].sort((a, b) => clearedMs(b) - clearedMs(a)).slice(0, MOST_CLEARED);
  return html`<section class="weak" aria-labelledby="mixups">
    <h2 id="mixups">${t("pg.mix_ups")}</h2>
    <p class="dim">
      ${mixUps.length > 0 ? t("pg.mix_ups_count", { open, n: cleared.length }) : t("pg.mix_ups_says")}
      ${" "}<a href=${MIX_UPS}>${t("pg.mix_ups_see")}</a>
    </p>
    ${
      last.length > 0 &&
      html`
        <p class="t13 dimmer" id="cleared">${t("pg.mix_ups_cleared")}</p>
        <ul class="cleared" aria-labelledby="cleared">
          ${last.map((one) => html`<li key=${one.id} class="reason">${t("pg.quote", { words: one.statement })}</li>`)}
        </ul>
      `
    }
  </section>`;
}

/** When a mix-up was cleared. @param {MixUp} mixUp */
const clearedMs = ({ clearedBy }) => (clearedBy ? parseMs(clearedBy.at) : 0);

/** The change of the number learned since a week ago. @param {number} more @param {number} all */
function gainWords(more, all) {
  if (more > 0) return t("pg.more", { n: more });
  return more < 0 ? t("pg.less", { n: -more }) : t("pg.same", { all });
}

/** @param {{ report: ProgressReport, status: Status, nowMs: number }} props */
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
    <div><dt>${t("pg.cost")}</dt><dd>${money(report.cost.usd)}<small>${budgetWords(status)}</small></dd></div>
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
    <${AnkiDeck} label=${t("pg.anki")} branchId=${path?.branch.id} />
    <a class="btn sm" href=${files.answers} download>${t("pg.answers_csv")}</a>
    <a class="btn sm" href=${files.mastery} download>${t("pg.mastery_csv")}</a>
    ${
      files.path &&
      html`<a class="btn sm" href=${files.path} download="${path?.branch.title ?? ""}.json">${t("pg.graph_json")}</a>`
    }
    ${
      files.questions &&
      seesAnswerKeys.value &&
      html`<a class="btn sm" href=${files.questions} download>${t("pg.questions_qti")}</a>`
    }
    ${files.statements && html`<a class="btn sm" href=${files.statements} download>${t("pg.xapi")}</a>`}
    <p class="t13 dimmer">${t("pg.take_says")}</p>
  </section>`;
}
