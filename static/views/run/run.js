// @ts-check
/** Screen of one run: its question or outcome, and its activity. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { earlyEnding } from "../../lib/run_ending.js";
import { queuePositionWords } from "../../lib/node_status.js";
import { serverNow } from "../../net/api.js";
import { useTicking } from "../../state/clock.js";
import { handoffKind, sinceWords } from "../../state/handoff.js";
import { openRun } from "../../state/open_run.js";
import { navigate, homeUrl, pathsUrl, pathUrl, runUrl } from "../../state/router.js";
import { isActive } from "../../state/run_view.js";
import { SearchButton, SearchDialog } from "../common/search_button.js";
import { EmptyScreen, Fault, Loading, Shell } from "../common/shell.js";
import { ActivityPanel } from "./activity_panel.js";
import { Handoff } from "./handoff.js";
import { OtherRuns } from "./other_runs.js";

/** @import { Run } from "../../types.d.ts" */
/** @import { OpenRun } from "../../state/open_run.js" */

/** @param {{ runId: string }} props */
export function RunScreen({ runId }) {
  const one = useMemo(() => openRun(runId), [runId]);
  useEffect(() => one.close, [one]);
  const run = one.run.value;
  const searching = useSignal(false);
  useTicking(isActive(run));
  useEffect(() => {
    document.title = t("run.page_title");
  }, []);

  const error = /** @type {any} */ (one.problem.value);
  if (error?.status === 404)
    return html`<${Shell}>
      <${EmptyScreen} title=${t("handoff.gone")} text=${t("not_found.text")}>
        <p><a href=${homeUrl()}>${t("not_found.home")}</a></p>
      <//>
    <//>`;
  if (error)
    return html`<${Shell}><div class="wrap blank"><${Fault} message=${error.message} onRetry=${one.load} /></div><//>`;
  if (!run)
    return html`<${Shell} crumbs=${[{ title: t("nav.paths"), url: pathsUrl() }]}>
      <${Loading} words=${t("run.loading")} />
    <//>`;
  const name = t("run.title", { time: sinceWords(run.createdAt, serverNow()) });
  const path = run.branchId ? [{ title: one.title.value, url: pathUrl(run.branchId) }] : [];
  return html`<${Shell}
    crumbs=${[{ title: t("nav.paths"), url: pathsUrl() }, ...path, { title: name, url: null }]}
    tools=${html`<${SearchButton} searching=${searching} />`}
    work
    asked=${[run.id]}
  >
    <section class="run-page">
      <h1 class="t13 dim">${one.title.value ? t("run.heading", { title: one.title.value, name }) : name}</h1>
      <${Standing} one=${one} run=${run} />
      <${OtherRuns} but=${run.id} />
    </section>
    <${ActivityPanel} path=${one} handsOver=${false} />
    ${
      searching.value &&
      html`<${SearchDialog} onClose=${() => {
        searching.value = false;
      }} />`
    }
  <//>`;
}

/**
 * How the run stands: the panel for a person, or a line and the way to its path.
 * @param {{ one: OpenRun, run: Run }} props
 */
function Standing({ one, run }) {
  const others = one.asking.value.filter((id) => id !== run.id);
  const panel = (/** @type {string} */ id) => html`<${Handoff}
    key=${id}
    runId=${id}
    row=${id === run.id ? run : null}
    isPage
    turn=${`${id === run.id ? `${run.state}${run.cutOff}` : ""}${one.activity.value?.agents[id]?.asks?.at ?? ""}`}
    onRow=${one.adopt}
    onRetried=${(/** @type {Run} */ next) => navigate(runUrl(next.id))}
    onDiscarded=${() => (run.branchId ? navigate(pathUrl(run.branchId)) : one.load())}
  />`;
  return html`
    ${handoffKind(run) ? panel(run.id) : html`<h2 class="t24">${standingWords(run)}</h2>`}
    ${others.map(panel)}
    ${run.branchId && html`<p><a href=${pathUrl(run.branchId)}>${t("run.path")}</a></p>`}
  `;
}

/** State of a run that needs no person. @param {Run} run */
function standingWords(run) {
  if (run.discarded) return t("run.discarded");
  const early = run.state === "completed" && earlyEnding(run);
  if (early) return early;
  return run.state === "queued"
    ? `${t("run.queued")}. ${queuePositionWords(run.position)}`
    : t(/** @type {any} */ (`run.${run.state}`));
}
