// @ts-check
/** One run at its own address: what it asks or how it ended, and what its agents did. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useTicking } from "../clock.js";
import { kindOf, sinceWords } from "../handoff.js";
import { serverNow } from "../api.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { openRun } from "../onerun.js";
import { go, home, pathUrl, runUrl } from "../router.js";
import { isOpen } from "../shown.js";
import { positionWords } from "../words.js";
import { ActivityPanel } from "./activity.js";
import { Handoff } from "./handoff.js";
import { Magnifier, SearchDialog } from "./magnifier.js";
import { OtherRuns } from "./otherruns.js";
import { Blank, Fault, Shell } from "./shell.js";

/** @import { Run } from "../types.d.ts" */
/** @import { OneRun } from "../onerun.js" */

/** @param {{ runId: string }} props */
export function RunScreen({ runId }) {
  const one = useMemo(() => openRun(runId), [runId]);
  useEffect(() => one.close, [one]);
  const run = one.run.value;
  const searching = useSignal(false);
  useTicking(isOpen(run));
  useEffect(() => { document.title = t("run.page_title"); }, []);

  const error = /** @type {any} */ (one.problem.value);
  if (error?.status === 404) return html`<${Shell}><${Blank} title=${t("handoff.gone")} text=${t("not_found.text")}><p><a href=${home()}>${t("not_found.home")}</a></p><//><//>`;
  if (error) return html`<${Shell}><div class="wrap blank"><${Fault} message=${error.message} onRetry=${one.load} /></div><//>`;
  if (!run) return html`<${Shell} crumbs=${[{ title: t("nav.paths"), url: home() }]}><p class="wrap loading dimmer" role="status">${t("run.loading")}</p><//>`;
  const name = t("run.title", { time: sinceWords(run.createdAt, serverNow()) });
  const path = run.branchId ? [{ title: one.title.value, url: pathUrl(run.branchId) }] : [];
  return html`<${Shell} crumbs=${[{ title: t("nav.paths"), url: home() }, ...path, { title: name, url: null }]} tools=${html`<${Magnifier} searching=${searching} />`} work asked=${[run.id]}>
    <section class="run-page"><h1 class="t13 dim">${one.title.value ? t("run.heading", { title: one.title.value, name }) : name}</h1><${Standing} one=${one} run=${run} /><${OtherRuns} but=${run.id} /></section>
    <${ActivityPanel} path=${one} handsOver=${false} />
    ${searching.value && html`<${SearchDialog} onClose=${() => { searching.value = false; }} />`}
  <//>`;
}

/** How the run stands: the panel for a person, or a line and the way to its path. @param {{ one: OneRun, run: Run }} props */
function Standing({ one, run }) {
  const others = one.asking.value.filter((id) => id !== run.id);
  const panel = (/** @type {string} */ id) => html`<${Handoff} key=${id} runId=${id} row=${id === run.id ? run : null} isPage turn=${`${id === run.id ? `${run.state}${run.cutOff}` : ""}${one.activity.value?.agents[id]?.asks?.at ?? ""}`}
    onRow=${one.adopt} onRetried=${(/** @type {Run} */ next) => go(runUrl(next.id))} onDiscarded=${() => (run.branchId ? go(pathUrl(run.branchId)) : one.load())} />`;
  return html`${kindOf(run) ? panel(run.id) : html`<h2 class="t24">${standingWords(run)}</h2>`}
    ${others.map(panel)}
    ${run.branchId && html`<p><a href=${pathUrl(run.branchId)}>${t("run.path")}</a></p>`}`;
}

/** How a run stands that needs nobody. @param {Run} run */
function standingWords(run) {
  if (run.discarded) return t("run.discarded");
  return run.state === "queued" ? `${t("run.queued")}. ${positionWords(run.position)}` : t(/** @type {any} */ (`run.${run.state}`));
}
