// @ts-check
/** Frame of every screen: bar, status line, error messages. */

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { connection } from "../../net/connection.js";
import { nowMs, useTicking } from "../../state/clock.js";
import { dueReviews } from "../../state/due_reviews.js";
import { isTeacher } from "../../state/rights.js";
import { classesUrl, homeUrl, pathsUrl, progressUrl, runUrl, screen, settingsUrl } from "../../state/router.js";
import { waitingRuns } from "../../state/tab_stream.js";
import { Icon, Logo, Patterns } from "./icons.js";

/** @import { ComponentChildren } from "preact" */

/**
 * @typedef {{
 *   crumbs?: { title: string, url: string | null }[],
 *   tools?: ComponentChildren,
 *   note?: string | null,
 *   work?: boolean,
 *   asked?: string[],
 *   bare?: boolean,
 * }} Around `bare`: without ways to other screens; `asked`: runs whose question the screen already shows
 */
const around = signal(/** @type {Around} */ ({}));

/**
 * What a screen puts into the frame: its content here, the rest around it.
 * @param {Around & { children: ComponentChildren }} props
 */
export function Shell({ children, ...rest }) {
  useLayoutEffect(() => {
    around.value = rest;
  });
  return children;
}

/**
 * One frame for all screens: a link that is pressed while a screen comes is the same element when it is let go.
 * @param {{ children: ComponentChildren }} props
 */
export function Frame({ children }) {
  const { crumbs, tools, note, work, asked = [], bare } = around.value;
  return html`
    <${Patterns} />
    <a class="skip" href="#main">${t("app.skip")}</a>
    <header class=${crumbs ? "bar inner" : "bar"}>
      ${crumbs && html`<${WayBack} to=${crumbs.findLast(({ url }) => url)} />`}
      <a class="brand" href=${homeUrl()} aria-label=${t("app.name")}>
        <${Logo} />
        <span>${t("app.name")}</span>
      </a>
      ${crumbs && html`<${Crumbs} crumbs=${crumbs} />`}
      ${!crumbs && !bare && html`<nav class="nav" aria-label=${t("nav.main")}><${Places} /></nav>`}
      <div class="bar-end">
        ${!bare && html`<${StatusLine} />`}
        ${note && html`<span class="status hide-s">${note}</span>`}
        ${tools}
        <${ThemeButton} />
        ${!bare && html`<${SettingsLink} />`}
      </div>
    </header>
    <${WaitingBar} asked=${asked} />
    <main id="main" tabindex="-1" class=${work ? "work" : ""}>${children}</main>
    ${!bare && html`<${Tabs} />`}
  `;
}

/** The main navigation of a phone. */
const Tabs = () =>
  SESSIONS.includes(screen.value.name) ? null : html`<nav class="tabs" aria-label=${t("nav.main")}><${Places} /></nav>`;

const SettingsLink = () => html`<a
  class="btn flat icon"
  href=${settingsUrl()}
  aria-label=${t("nav.settings")}
  title=${t("nav.settings")}
  aria-current=${screen.value.name === "settings" ? "page" : undefined}
>
  <${Icon} name="sliders" />
</a>`;

/** Screens without the bar below: their own actions stand at the lower edge. @type {string[]} */
const SESSIONS = ["lesson", "diagnostic", "placement", "review", "desk"];

/**
 * Main navigation: in the bar, on a phone below the content.
 * @typedef {"nav.today" | "nav.paths" | "nav.progress" | "nav.classes"} NavKey
 * @typedef {{ name: string, url: () => string, icon: "today" | "pot" | "chart" | "people", label: NavKey }} Place
 * @type {(Place & { holds: string[] })[]} `holds`: screens that are part of the place
 */
const PLACES = [
  { name: "home", url: homeUrl, icon: "today", label: "nav.today", holds: [] },
  { name: "paths", url: pathsUrl, icon: "pot", label: "nav.paths", holds: ["path", "run"] },
  { name: "progress", url: progressUrl, icon: "chart", label: "nav.progress", holds: [] },
];
/** @type {typeof PLACES[number]} */
const CLASSES = { name: "classes", url: classesUrl, icon: "people", label: "nav.classes", holds: ["class", "desk"] };

const Places = () =>
  html`${[...PLACES, ...(isTeacher.value ? [CLASSES] : [])].map(
    ({ name, url, icon, label, holds }) => html`<a
      key=${name}
      href=${url()}
      aria-current=${screen.value.name === name ? "page" : holds.includes(screen.value.name) || undefined}
    >
      <${Icon} name=${icon} />
      ${t(label)}${name === "home" && html`<${DueCount} />`}
    </a>`,
  )}`;

/** How many reviews are due today, beside the name of the place. */
const DueCount = () => {
  const n = dueReviews.value?.today;
  return n ? html`<span class="count">${t("nav.due", { n })}</span>` : null;
};

/** On a phone the bar begins with the way back. @param {{ to?: { title: string, url: string | null } }} props */
const WayBack = ({ to = { title: t("nav.paths"), url: pathsUrl() } }) =>
  html`<a class="btn flat icon back" href=${to.url} aria-label=${t("nav.back", { title: to.title })}>
    <${Icon} name="arrow" />
  </a>`;

/** @param {{ crumbs: { title: string, url: string | null }[] }} props */
const Crumbs = ({ crumbs }) => html`<nav class="crumbs" aria-label=${t("nav.here")}>
  ${crumbs.map(
    ({ title, url }, i) => html`
      ${i > 0 && html`<${Icon} name="right" small />`}
      ${url ? html`<a href=${url} dir="auto">${title}</a>` : html`<span aria-current="page" dir="auto">${title}</span>`}
    `,
  )}
</nav>`;

/**
 * Notice that runs wait for the learner; links to the one that waits longest.
 * @param {{ asked: string[] }} props
 */
function WaitingBar({ asked }) {
  const all = waitingRuns.value;
  const elsewhere = all.filter(({ runId }) => !asked.includes(runId));
  return html`<div class="asks-row">
    ${
      elsewhere.length > 0 &&
      html`<nav aria-label=${t("asks.label")}>
        <a class="asks" href=${runUrl(elsewhere[0].runId)}>
          <${Icon} name="hourglass" small />
          <span class="asks-words">
            <b>${t(elsewhere.length > 1 ? "asks.more" : "asks.one", { n: elsewhere.length })}</b>
            <span class="hide-s">${shorten(elsewhere[0].question, 110)}</span>
          </span>
          <span class="asks-go">${t("asks.go")}</span>
        </a>
      </nav>`
    }
    <p class="vh" role="status">${all.length ? t("asks.announce", { question: shorten(all[0].question, 160) }) : ""}</p>
  </div>`;
}

/** @param {number} seconds until the next try @param {boolean} crowded the server refuses further streams */
function reconnectingWords(seconds, crowded) {
  if (crowded) return t("net.crowded", { seconds: Math.max(1, seconds) });
  return seconds > 1 ? t("net.reconnecting", { seconds }) : t("net.reconnecting_now");
}

/** State of the connection; screen readers do not hear the countdown. */
function StatusLine() {
  const news = connection.value;
  useTicking(news.state === "waiting");
  if (news.state === "offline")
    return html`<p class="status wait" role="status">
      <${Icon} name="hourglass" small />
      <span>${t("net.offline")}</span>
    </p>`;
  if (news.state === "back")
    return html`<p class="status leaf" role="status"><${Icon} name="check" small /><span>${t("net.back")}</span></p>`;
  if (news.state !== "waiting") return html`<p class="status" role="status"></p>`;
  const seconds = nowMs.value && Math.ceil((news.untilMs - Date.now()) / 1000);
  return html`<p class="status wait" role="status">
    <${Icon} name="hourglass" small />
    <span class="vh">${t(news.crowded ? "net.crowded_now" : "net.reconnecting_now")}</span>
    <span aria-hidden="true">
      ${reconnectingWords(seconds, news.crowded === true)}
    </span>
  </p>`;
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (darkSystem.matches ? "dark" : "light")) === "dark";

function ThemeButton() {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const look = () => setDark(isDark());
    darkSystem.addEventListener("change", look);
    addEventListener("sprout:theme", look);
    return () => {
      darkSystem.removeEventListener("change", look);
      removeEventListener("sprout:theme", look);
    };
  }, []);
  const change = () => {
    dispatchEvent(new Event("sprout:theme"));
    setDark(isDark());
  };
  const label = t("theme.change", { theme: t(dark ? "theme.light" : "theme.dark") });
  return html`<button class="btn flat icon" type="button" onClick=${change} aria-label=${label} title=${label}>
    <${Icon} name=${dark ? "sun" : "moon"} />
  </button>`;
}

/**
 * An error message with a retry.
 * @param {{
 *   message: string,
 *   onRetry?: () => void,
 *   busy?: boolean,
 *   isFilled?: boolean,
 *   children?: ComponentChildren,
 * }} props `isFilled`: whether to try again is the next step of the screen
 */
export const Fault = ({ message, onRetry, busy, isFilled, children }) => html`<div class="fault-note" role="alert">
  <${Icon} name="warn" />
  <div><p>${message}</p>${children}</div>
  ${
    onRetry &&
    html`<button
      class=${isFilled ? "btn go" : "btn sm"}
      type="button"
      onClick=${onRetry}
      disabled=${busy}
      aria-busy=${busy || undefined}
    >
      ${t(busy ? "error.retrying" : "error.retry")}
    </button>`
  }
</div>`;

/**
 * Notice of a screen that is being fetched: what for, and that nothing need be pressed.
 * @param {{ words: string, isWrapped?: boolean }} props `isWrapped`: whether it keeps the margins of the page itself
 */
export const Loading = ({ words, isWrapped = true }) => html`<p
  class=${isWrapped ? "wrap loading" : "loading"}
  role="status"
>
  <span class="pulse"></span>
  <span>${t("wait.loading", { words })}</span>
</p>`;

/**
 * A screen for something that does not exist.
 * @param {{ title: string, text: string, children?: ComponentChildren }} props
 */
export const EmptyScreen = ({ title, text, children }) =>
  html`<div class="wrap blank"><h1 class="t24">${title}</h1><p class="dim">${text}</p>${children}</div>`;
