// @ts-check
/** Entry point: renders the screen that the address names. */

import { computed, signal } from "@preact/signals";
import { render } from "preact";
import { html } from "./lib/html.js";
import { t } from "./lib/i18n.js";
import { loadSheet } from "./lib/style_sheets.js";
import { onReconnect } from "./net/connection.js";
import { isSignedOut } from "./net/signed_out.js";
import { openRights } from "./state/rights.js";
import { openDueReviews } from "./state/due_reviews.js";
import { followLink, homeUrl, screen } from "./state/router.js";
import { openTabStream } from "./state/tab_stream.js";
import { EmptyScreen, Fault, Frame, Loading, Shell } from "./views/common/shell.js";

/** @typedef {(props: any) => any} View */
/**
 * @typedef {{ sheets: string[], view: () => Promise<View>, of?: string }} Fetched `of`: the part of the address that
 *   makes it another screen
 */

const HOME = ["styles/home.css"];
const TEACHING = ["styles/path.css", "styles/concept.css", "styles/teaching.css", "styles/rich.css"];
/** Code of each screen, loaded on demand. @type {Record<string, Fetched>} */
const SCREENS = {
  home: { sheets: HOME, view: async () => (await import("./views/home/home.js")).HomeScreen },
  paths: { sheets: HOME, view: async () => (await import("./views/home/paths_screen.js")).PathsScreen },
  path: {
    sheets: ["styles/path.css"],
    view: async () => (await import("./views/path/path.js")).PathScreen,
    of: "branchId",
  },
  run: { sheets: ["styles/path.css"], view: async () => (await import("./views/run/run.js")).RunScreen, of: "runId" },
  desk: {
    sheets: [...TEACHING, "styles/desk.css"],
    view: async () => (await import("./views/classes/desk.js")).DeskScreen,
    of: "classId",
  },
  diagnostic: {
    sheets: TEACHING,
    view: async () => (await import("./views/lesson/diagnostic.js")).DiagnosticScreen,
    of: "conceptId",
  },
  lesson: { sheets: TEACHING, view: async () => (await import("./views/lesson/lesson.js")).LessonScreen, of: "nodeId" },
  progress: {
    sheets: [...TEACHING, "styles/learner.css", "styles/next.css"],
    view: async () => (await import("./views/progress/progress.js")).ProgressScreen,
  },
  review: {
    sheets: [...TEACHING, "styles/review.css"],
    view: async () => (await import("./views/review/review.js")).ReviewScreen,
  },
  placement: {
    sheets: [...TEACHING, "styles/review.css"],
    view: async () => (await import("./views/placement/placement.js")).PlacementScreen,
  },
  sign_in: {
    sheets: ["styles/sign_in.css"],
    view: async () => (await import("./views/sign_in/sign_in.js")).SignInScreen,
    of: "way",
  },
  classes: {
    sheets: ["styles/classes.css"],
    view: async () => (await import("./views/classes/classes.js")).ClassesScreen,
  },
  class: {
    sheets: [...TEACHING, "styles/desk.css", "styles/classes.css"],
    view: async () => (await import("./views/classes/class.js")).ClassScreen,
    of: "classId",
  },
  people: {
    sheets: ["styles/learner.css", "styles/people.css"],
    view: async () => (await import("./views/people/people.js")).PeopleScreen,
  },
  seen: {
    sheets: [...TEACHING, "styles/learner.css"],
    view: async () => (await import("./views/settings/seen.js")).SeenScreen,
    of: "classId",
  },
  settings: {
    sheets: [...TEACHING, "styles/learner.css", "styles/sign_in.css"],
    view: async () => (await import("./views/settings/settings.js")).SettingsScreen,
  },
};
const views = signal(/** @type {Record<string, View>} */ ({}));
const failed = signal(false);
/** The screen that is shown: one of signing in, as long as the server asks for it. */
const shown = computed(() =>
  isSignedOut.value && screen.value.name !== "sign_in" ? { name: "sign_in" } : screen.value,
);

/** Modules that could not be loaded are asked for anew by a new page alone. */
const reload = () => location.reload();

/** @param {string} name */
async function fetchScreen(name) {
  const wanted = SCREENS[name];
  if (!wanted || views.peek()[name]) return;
  try {
    const [view] = await Promise.all([wanted.view(), ...wanted.sheets.map(loadSheet)]);
    views.value = { ...views.peek(), [name]: view };
  } catch {
    failed.value = true; // offline: the screen offers a retry
  }
}

function App() {
  const now = /** @type {Record<string, string> & { name: string }} */ (shown.value);
  const View = views.value[now.name];
  if (View) return html`<${View} key=${`${now.name} ${now[SCREENS[now.name].of ?? ""] ?? ""}`} ...${now} />`;
  if (now.name === "unknown")
    return html`<${Shell}>
      <${EmptyScreen} title=${t("not_found.title")} text=${t("not_found.text")}>
        <p><a href=${homeUrl()}>${t("not_found.home")}</a></p>
      <//>
    <//>`;
  if (failed.value)
    return html`<${Shell}>
      <div class="wrap blank"><${Fault} message=${t("error.network")} onRetry=${reload} /></div>
    <//>`;
  return html`<${Shell}><div class="late"><${Loading} words=${t("app.loading")} /></div><//>`;
}

openTabStream();
openRights();
openDueReviews();
onReconnect(() => failed.value && reload());
if (localStorage.getItem("sprout.notice") !== null) import("./state/due_notice.js").then(({ watchDue }) => watchDue());
document.addEventListener("click", followLink);
render(html`<${Frame}><${App} /><//>`, /** @type {HTMLElement} */ (document.getElementById("app")));
shown.subscribe((now) => {
  fetchScreen(now.name);
});
