// @ts-check
/** Entry: the screen that the address names, drawn into the page. */

import { signal } from "@preact/signals";
import { render } from "preact";
import { html } from "./html.js";
import { t } from "./i18n.js";
import { followLink, home, screen } from "./router.js";
import { sheet } from "./sheets.js";
import { listen } from "./tab.js";
import { Blank, Fault, Shell } from "./views/shell.js";

/** @typedef {(props: any) => any} View */
/** @typedef {{ sheets: string[], view: () => Promise<View>, of?: string }} Fetched `of`: which part of the address makes it another screen */

const TEACHING = ["path.css", "learn.css", "rich.css"];
/** A screen's code comes when the screen is asked for: the home shows without the map and its layout library. @type {Record<string, Fetched>} */
const SCREENS = {
  home: { sheets: [], view: async () => (await import("./views/home.js")).HomeScreen },
  path: { sheets: ["path.css"], view: async () => (await import("./views/path.js")).PathScreen, of: "branchId" },
  run: { sheets: ["path.css"], view: async () => (await import("./views/run.js")).RunScreen, of: "runId" },
  diagnostic: { sheets: TEACHING, view: async () => (await import("./views/diagnostic.js")).DiagnosticScreen, of: "conceptId" },
  lesson: { sheets: TEACHING, view: async () => (await import("./views/lesson.js")).LessonScreen, of: "nodeId" },
  progress: { sheets: [...TEACHING, "you.css"], view: async () => (await import("./views/progress.js")).ProgressScreen },
  settings: { sheets: [...TEACHING, "you.css"], view: async () => (await import("./views/settings.js")).SettingsScreen },
};
const views = signal(/** @type {Record<string, View>} */ ({}));
const failed = signal(false);
/** The path's screen is fetched ahead, once the home has had its time. */
const AHEAD_MS = 1500;

/** @param {string} name */
async function fetchScreen(name) {
  const wanted = SCREENS[name];
  if (!wanted || views.peek()[name]) return;
  try {
    const [view] = await Promise.all([wanted.view(), ...wanted.sheets.map(sheet)]);
    views.value = { ...views.peek(), [name]: view };
  } catch {
    failed.value = true; // the network is away: said on the screen, with a way to try again
  }
}

function App() {
  const now = /** @type {Record<string, string> & { name: string }} */ (screen.value);
  const View = views.value[now.name];
  if (View) return html`<${View} key=${`${now.name} ${now[SCREENS[now.name].of ?? ""] ?? ""}`} ...${now} />`;
  if (now.name === "unknown") return html`<${Shell}><${Blank} title=${t("not_found.title")} text=${t("not_found.text")}><p><a href=${home()}>${t("not_found.home")}</a></p><//><//>`;
  return html`<${Shell}><div class="wrap loading">
    ${failed.value ? html`<${Fault} message=${t("error.network")} onRetry=${() => location.reload()} />` : ""}
  </div><//>`;
}

listen();
document.addEventListener("click", followLink);
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
screen.subscribe((now) => { fetchScreen(now.name); });
if (screen.value.name === "home") setTimeout(() => fetchScreen("path"), AHEAD_MS);
