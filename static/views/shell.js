// @ts-check
/** What frames every screen: the bar, the status line, and the ways to say that something failed. */

import { useEffect, useState } from "preact/hooks";
import { nowMs, useTicking } from "../clock.js";
import { brief } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { line } from "../net.js";
import { home, progressUrl, runUrl, screen, settingsUrl } from "../router.js";
import { waiting } from "../tab.js";
import { Icon, Logo, Patterns } from "./icons.js";

/** @import { ComponentChildren } from "preact" */

/** @param {{ crumbs?: { title: string, url: string | null }[], tools?: ComponentChildren, note?: string | null, children: ComponentChildren, work?: boolean, asked?: string[] }} props
 *   `asked`: runs whose question stands on the screen already
 */
export const Shell = ({ crumbs, tools, note, children, work, asked = [] }) => html`
  <${Patterns} />
  <a class="skip" href="#main">${t("app.skip")}</a>
  <header class="bar">
    <a class="brand" href=${home()} aria-label=${t("app.name")}><${Logo} /><span class=${crumbs ? "hide-s" : ""}>${t("app.name")}</span></a>
    ${crumbs ? html`<${Crumbs} crumbs=${crumbs} />` : html`<nav class="nav" aria-label=${t("nav.main")}><${Places} of=${PLACES.slice(0, 2)} /></nav>`}
    <div class="bar-end"><${StatusLine} />${note && html`<span class="status hide-s">${note}</span>`}${tools}<${ThemeButton} /><a class="btn flat icon hide-s" href=${settingsUrl()} aria-label=${t("nav.settings")} title=${t("nav.settings")} aria-current=${screen.value.name === "settings" ? "page" : undefined}><${Icon} name="sliders" /></a></div>
  </header>
  <${Asks} asked=${asked} />
  <main id="main" tabindex="-1" class=${work ? "work" : ""}>${children}</main>
  ${!crumbs && html`<nav class="tabs" aria-label=${t("nav.main")}><${Places} of=${PLACES} /></nav>`}`;

/** Where one can always go: in the bar, on a phone below the content. @type {{ name: string, url: () => string, icon: "pot" | "chart" | "sliders", label: "nav.paths" | "nav.progress" | "nav.settings" }[]} */
const PLACES = [
  { name: "home", url: home, icon: "pot", label: "nav.paths" },
  { name: "progress", url: progressUrl, icon: "chart", label: "nav.progress" },
  { name: "settings", url: settingsUrl, icon: "sliders", label: "nav.settings" },
];

/** @param {{ of: typeof PLACES }} props */
const Places = ({ of }) => html`${of.map(({ name, url, icon, label }) => html`<a key=${name} href=${url()} aria-current=${screen.value.name === name ? "page" : undefined}><${Icon} name=${icon} />${t(label)}</a>`)}`;

/** @param {{ crumbs: { title: string, url: string | null }[] }} props */
const Crumbs = ({ crumbs }) => html`<nav class="crumbs" aria-label=${t("nav.here")}>
  ${crumbs.map(({ title, url }, i) => html`${i > 0 && html`<${Icon} name="right" small />`}${url ? html`<a href=${url} dir="auto">${title}</a>` : html`<span aria-current="page" dir="auto">${title}</span>`}`)}
</nav>`;

/** That a run waits for the learner, on whatever screen: the longest wait leads to its question. @param {{ asked: string[] }} props */
function Asks({ asked }) {
  const all = waiting.value;
  const elsewhere = all.filter(({ runId }) => !asked.includes(runId));
  return html`<div class="asks-row">
    ${elsewhere.length > 0 && html`<nav aria-label=${t("asks.label")}><a class="asks" href=${runUrl(elsewhere[0].runId)}><${Icon} name="hourglass" small /><span class="asks-words"><b>${t(elsewhere.length > 1 ? "asks.more" : "asks.one", { n: elsewhere.length })}</b><span class="hide-s">${brief(elsewhere[0].question, 110)}</span></span><span class="asks-go">${t("asks.go")}</span></a></nav>`}
    <p class="vh" role="status">${all.length ? t("asks.announce", { question: brief(all[0].question, 160) }) : ""}</p>
  </div>`;
}

/** How the line to the server stands; the seconds that tick away are not read out. */
function StatusLine() {
  const news = line.value;
  useTicking(news.state === "waiting");
  if (news.state === "offline") return html`<p class="status wait" role="status"><${Icon} name="hourglass" small /><span>${t("net.offline")}</span></p>`;
  if (news.state === "back") return html`<p class="status leaf" role="status"><${Icon} name="check" small /><span>${t("net.back")}</span></p>`;
  if (news.state !== "waiting") return html`<p class="status" role="status"></p>`;
  const seconds = nowMs.value && Math.ceil((news.untilMs - Date.now()) / 1000);
  return html`<p class="status wait" role="status"><${Icon} name="hourglass" small /><span class="vh">${t(news.crowded ? "net.crowded_now" : "net.reconnecting_now")}</span><span aria-hidden="true">${news.crowded ? t("net.crowded", { seconds: Math.max(1, seconds) }) : seconds > 1 ? t("net.reconnecting", { seconds }) : t("net.reconnecting_now")}</span></p>`;
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (darkSystem.matches ? "dark" : "light")) === "dark";

function ThemeButton() {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const look = () => setDark(isDark());
    darkSystem.addEventListener("change", look);
    addEventListener("sprout:theme", look);
    return () => { darkSystem.removeEventListener("change", look); removeEventListener("sprout:theme", look); };
  }, []);
  const change = () => {
    dispatchEvent(new Event("sprout:theme"));
    setDark(isDark());
  };
  const label = t("theme.change", { theme: t(dark ? "theme.light" : "theme.dark") });
  return html`<button class="btn flat icon" type="button" onClick=${change} aria-label=${label} title=${label}><${Icon} name=${dark ? "sun" : "moon"} /></button>`;
}

/** What happened and what to do about it. @param {{ message: string, onRetry?: () => void, busy?: boolean, children?: ComponentChildren }} props */
export const Fault = ({ message, onRetry, busy, children }) => html`<div class="fault-note" role="alert">
  <${Icon} name="warn" /><div><p>${message}</p>${children}</div>
  ${onRetry && html`<button class="btn sm" type="button" onClick=${onRetry} disabled=${busy} aria-busy=${busy || undefined}>${t(busy ? "error.retrying" : "error.retry")}</button>`}
</div>`;

/** A page in place of one that is not there. @param {{ title: string, text: string, children?: ComponentChildren }} props */
export const Blank = ({ title, text, children }) => html`<div class="wrap blank"><h1 class="t24">${title}</h1><p class="dim">${text}</p>${children}</div>`;
