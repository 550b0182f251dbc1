// @ts-check
/** Home: ask for a path, and the paths there are. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { html } from "../html.js";
import { onTurns } from "../tab.js";
import { t } from "../i18n.js";
import { AskForm } from "./ask.js";
import { Icon } from "./icons.js";
import { fetchSearch, Magnifier, SearchDialog } from "./magnifier.js";
import { lazily } from "./lazily.js";
import { Mark } from "./marks.js";
import { PathTable } from "./paths.js";
import { Plants, Seed } from "./plants.js";
import { Fault, Shell } from "./shell.js";

/** @import { PathSummary, Status } from "../types.d.ts" */

const goOn = lazily(async () => (await import("./goon.js")).GoOn);
const MOST_SUGGESTIONS = 3;
/** Search is fetched once the first view has had its time. */
const AHEAD_MS = 1500;

export function HomeScreen() {
  const paths = useSignal(/** @type {PathSummary[] | null} */ (null));
  const status = useSignal(/** @type {Status | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const asked = useSignal(/** @type {string | null} */ (null));
  const searching = useSignal(false);

  const load = async () => {
    try {
      [paths.value, status.value] = await Promise.all([api.paths(), status.value ?? api.status()]);
      problem.value = null;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };

  useEffect(() => {
    document.title = t("app.title");
    load();
    const timer = setTimeout(fetchSearch, AHEAD_MS);
    const unturn = onTurns(load);
    return () => { clearTimeout(timer); unturn(); };
  }, []);

  const isFirst = paths.value?.length === 0;
  const offline = status.value?.model.offline;
  return html`<${Shell} tools=${!isFirst && html`<${Magnifier} searching=${searching} />`} note=${offline ? t("model.offline") : null}>
    <div class="wrap hero">
      <${AskForm} status=${status.value} asked=${asked.value} />
      ${isFirst ? html`<${Seed} />` : html`<${Plants} paths=${paths.value ?? []} />`}
    </div>
    <div class="ground"></div>
    <div class="wrap">
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} />`}
      ${!paths.value && !problem.value && html`<p class="loading dimmer" role="status">${t("paths.loading")}</p>`}
      ${paths.value && !isFirst && html`<${goOn.View} />`}
      ${paths.value && !isFirst && html`<${PathTable} paths=${paths.value} onChange=${load} />`}
      ${isFirst && html`<${FirstRun} status=${status.value} onChoose=${(/** @type {string} */ title) => { asked.value = title; }} />`}
    </div>
    ${searching.value && html`<${SearchDialog} paths=${paths.value ?? []} onClose=${() => { searching.value = false; }} />`}
  <//>`;
}

/** @param {{ status: Status | null, onChoose: (title: string) => void }} props */
function FirstRun({ status, onChoose }) {
  const suggestions = status?.suggestions.slice(0, MOST_SUGGESTIONS) ?? [];
  const note = status?.model.note ?? (status?.model.offline ? t("model.offline_long") : null);
  return html`<section class="first">
    ${suggestions.length > 0 && html`<h2 class="t18">${t("first.title")}</h2><ul>${suggestions.map((each) => html`<li key=${each.title}>
      <${Mark} state="ready" /><span><b>${each.title}</b><br /><span class="t13 dim">${t("first.concepts", { n: each.concepts, desc: each.desc })}</span></span>
      <button class="btn sm sp" type="button" onClick=${() => onChoose(each.title)}>${t("first.grow")}<span class="vh"> ${each.title}</span></button>
    </li>`)}</ul>`}
    ${note && html`<p class="first-note"><${Icon} name="info" /><span>${note}</span></p>`}
  </section>`;
}
