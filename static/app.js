// @ts-check
/** Entry: the screen that the address names, drawn into the page. */

import { signal } from "@preact/signals";
import { render } from "preact";
import { html } from "./html.js";
import { t } from "./i18n.js";
import { followLink, home, screen } from "./router.js";
import { listen } from "./tab.js";
import { Blank, Fault, Shell } from "./views/shell.js";

/** A screen's code comes when the screen is asked for: the home shows without the map and its layout library. */
const homeScreen = signal(/** @type {typeof import("./views/home.js").HomeScreen | null} */ (null));
const pathScreen = signal(/** @type {typeof import("./views/path.js").PathScreen | null} */ (null));
const runScreen = signal(/** @type {typeof import("./views/run.js").RunScreen | null} */ (null));
const diagnosticScreen = signal(/** @type {typeof import("./views/diagnostic.js").DiagnosticScreen | null} */ (null));
const lessonScreen = signal(/** @type {typeof import("./views/lesson.js").LessonScreen | null} */ (null));
const progressScreen = signal(/** @type {typeof import("./views/progress.js").ProgressScreen | null} */ (null));
const settingsScreen = signal(/** @type {typeof import("./views/settings.js").SettingsScreen | null} */ (null));
const failed = signal(false);
/** The path's screen is fetched ahead, once the home has had its time. */
const AHEAD_MS = 1500;

/** @param {import("./router.js").Screen["name"]} name */
async function fetchScreen(name) {
  try {
    if (name !== "home") await (await import("./sheets.js")).sheet("path.css");
    if (name === "home") homeScreen.value ??= (await import("./views/home.js")).HomeScreen;
    if (name === "path") pathScreen.value ??= (await import("./views/path.js")).PathScreen;
    if (name === "run") runScreen.value ??= (await import("./views/run.js")).RunScreen;
    if (name === "diagnostic" || name === "lesson") await (await import("./sheets.js")).teaching();
    if (name === "diagnostic") diagnosticScreen.value ??= (await import("./views/diagnostic.js")).DiagnosticScreen;
    if (name === "progress" || name === "settings") await import("./sheets.js").then(({ sheet, teaching }) => Promise.all([teaching(), sheet("you.css")]));
    if (name === "progress") progressScreen.value ??= (await import("./views/progress.js")).ProgressScreen;
    if (name === "settings") settingsScreen.value ??= (await import("./views/settings.js")).SettingsScreen;
    if (name === "lesson") lessonScreen.value ??= (await import("./views/lesson.js")).LessonScreen;
  } catch {
    failed.value = true; // the network is away: said on the screen, with a way to try again
  }
}

function App() {
  const now = screen.value;
  if (now.name === "home" && homeScreen.value) return html`<${homeScreen.value} />`;
  if (now.name === "unknown") return html`<${Shell}><${Blank} title=${t("not_found.title")} text=${t("not_found.text")}><p><a href=${home()}>${t("not_found.home")}</a></p><//><//>`;
  if (now.name === "path" && pathScreen.value) return html`<${pathScreen.value} key=${now.branchId} branchId=${now.branchId} conceptId=${now.conceptId} />`;
  if (now.name === "run" && runScreen.value) return html`<${runScreen.value} key=${now.runId} runId=${now.runId} />`;
  if (now.name === "diagnostic" && diagnosticScreen.value) return html`<${diagnosticScreen.value} key=${now.conceptId} branchId=${now.branchId} conceptId=${now.conceptId} />`;
  if (now.name === "progress" && progressScreen.value) return html`<${progressScreen.value} />`;
  if (now.name === "settings" && settingsScreen.value) return html`<${settingsScreen.value} />`;
  if (now.name === "lesson" && lessonScreen.value) return html`<${lessonScreen.value} key=${now.nodeId} branchId=${now.branchId} conceptId=${now.conceptId} nodeId=${now.nodeId} />`;
  return html`<${Shell}><div class="wrap loading">
    ${failed.value ? html`<${Fault} message=${t("error.network")} onRetry=${() => location.reload()} />` : ""}
  </div><//>`;
}

listen();
document.addEventListener("click", followLink);
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
screen.subscribe((now) => { fetchScreen(now.name); });
if (screen.value.name === "home") setTimeout(() => fetchScreen("path"), AHEAD_MS);
