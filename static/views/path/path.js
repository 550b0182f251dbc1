// @ts-check
/** Path screen. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { modelName } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { useTicking } from "../../state/clock.js";
import { openPath } from "../../state/open_path.js";
import { navigate, homeUrl, pathsUrl, pathUrl } from "../../state/router.js";
import { isActive } from "../../state/run_view.js";
import { lazy } from "../common/lazy.js";
import { useIsWide } from "../common/media_query.js";
import { prefetchSearch, SearchButton, SearchDialog } from "../common/search_button.js";
import { EmptyScreen, Fault, Loading, Shell } from "../common/shell.js";
import { PathLevel } from "./path_level.js";

/** Loaded after the map. */
const activity = lazy(async () => (await import("../run/activity_panel.js")).ActivityPanel);
const nextStep = async () => (await Promise.all([import("./next_panel.js"), loadSheet("styles/next.css")]))[0];
const next = lazy(async () => (await nextStep()).NextPanel);
const docked = lazy(async () => (await nextStep()).DockedNext);
const concepts = lazy(async () => {
  const [{ ConceptLevel }] = await Promise.all([import("./concept_level.js"), loadSheet("styles/concept.css")]);
  return ConceptLevel;
});
const runBar = lazy(async () => (await import("./run_bar.js")).RunBar);
const changes = lazy(async () => (await import("./adaptations.js")).PathAdaptations);
const update = lazy(async () => {
  const [{ UpdateNotice }] = await Promise.all([import("./update_notice.js"), loadSheet("styles/given.css")]);
  return UpdateNotice;
});
/** Delay of the prefetch. */
const AHEAD_MS = 1500;

/** @typedef {"list" | "map" | "activity" | "about"} Tab */

/** @param {{ branchId: string, conceptId: string | null }} props */
export function PathScreen({ branchId, conceptId }) {
  const path = useMemo(() => openPath(branchId), [branchId]);
  useEffect(() => path.close, [path]);
  const wide = useIsWide();
  useEffect(() => {
    (wide ? next : docked).prefetch(); // its place is kept from the first moment on
  }, [wide]);
  const isViewed = useSignal(false);
  useEffect(() => {
    const ahead = () => {
      isViewed.value = true;
      import("../run/activity_panel.js").then(
        ({ prefetchLater: fetchAhead }) => fetchAhead(),
        () => null,
      ); // offline: the panel itself tries again
      concepts.prefetch();
      prefetchSearch();
    };
    const timer = setTimeout(ahead, AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  const asList = useSignal(false);
  const tab = useSignal(/** @type {Tab} */ ("list"));
  const searching = useSignal(false);
  const focusOn = useSignal(/** @type {string | null} */ (null));
  const selected = useSignal(/** @type {string | null} */ (null));
  /** The concept of the next step, on a small screen. */
  const upNext = useSignal(/** @type {string | null} */ (null));

  const title = path.answer.value?.branch.title ?? "";
  const concept = conceptId ? path.all.value.get(conceptId) : undefined;
  useTicking(isActive(path.run.value));
  useEffect(() => {
    if (title) document.title = t("app.path_title", { title: concept?.title ?? title });
  }, [title, concept?.title]);
  const lastConcept = useRef(conceptId);
  useEffect(() => {
    selected.value = null;
    if (conceptId && tab.value === "activity") tab.value = "list";
    focusOn.value = conceptId ? null : lastConcept.current; // back on the path: focus the concept that was open
    if (conceptId !== lastConcept.current && conceptId) document.getElementById("main")?.focus({ preventScroll: true });
    lastConcept.current = conceptId;
    if (!conceptId) return;
    const escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]"))
        navigate(pathUrl(branchId));
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, [conceptId]);

  if (path.problem.value) return html`<${Missing} path=${path} />`;
  if (!path.answer.value)
    return html`<${Shell} crumbs=${[{ title: t("nav.paths"), url: pathsUrl() }]}>
      <${Loading} words=${t("path.loading")} />
    <//>`;
  if (conceptId && !concept && !path.live.value)
    return html`<${Shell}>
      <${EmptyScreen} title=${t("not_found.title")} text=${t("not_found.text")}>
        <p><a href=${pathUrl(branchId)}>${t("map.back")}</a></p>
      <//>
    <//>`;

  const crumbs = concept
    ? [
        { title: t("nav.paths"), url: pathsUrl() },
        { title, url: pathUrl(branchId) },
        { title: concept.title, url: null },
      ]
    : [
        { title: t("nav.paths"), url: pathsUrl() },
        { title, url: null },
      ];
  const run = path.run.value;
  const searchButton = html`<${SearchButton} searching=${searching} />`;
  const choose = (/** @type {import("../../state/graph.js").GraphNode} */ node) => {
    if (node.type === "concept") {
      navigate(pathUrl(branchId));
      tab.value = "list";
      focusOn.value = null;
      setTimeout(() => {
        focusOn.value = node.id;
      }, 60);
      return;
    }
    navigate(pathUrl(branchId, node.parentId));
    setTimeout(() => {
      selected.value = node.id;
      focusOn.value = node.id;
    }, 60);
  };
  const view = {
    wide,
    asList: asList.value || (!wide && tab.value !== "map"),
    tab,
    focusOn: focusOn.value,
    upNext: upNext.value,
    selected,
    toggleList: () => {
      if (wide) asList.value = !asList.value;
      else tab.value = tab.value === "map" ? "list" : "map";
    },
  };

  return html`<${Shell}
    crumbs=${crumbs}
    tools=${searchButton}
    asked=${(wide || tab.value === "activity") && !conceptId ? path.asking.value : []}
    work
    note=${run?.offline ? modelName(run.model, true) : null}
  >
    ${
      isViewed.value &&
      !wide &&
      !conceptId &&
      tab.value === "list" &&
      html`<div class="wrap update-row"><${update.View} path=${path} /></div>`
    }
    ${
      concept
        ? html`<${concepts.View} path=${path} concept=${concept} view=${view} />`
        : html`<${PathLevel} path=${path} view=${view} />`
    }
    ${
      !conceptId &&
      (wide || tab.value === "activity") &&
      html`<${wide ? next.View : activity.View} path=${path}>
        ${isViewed.value && wide && html`<${update.View} path=${path} />`}
        ${isViewed.value && html`<${changes.View} path=${path} />`}
      <//>`
    }
    ${
      !wide &&
      !conceptId &&
      tab.value !== "activity" &&
      html`<${docked.View}
        path=${path}
        onFound=${(/** @type {string | null} */ found) => {
          upNext.value = found;
        }}
      />`
    }
    ${
      !wide &&
      isActive(run) &&
      run?.state !== "waiting_on_human" &&
      !run?.cutOff &&
      html`<${runBar.View} path=${path} />`
    }
    ${
      searching.value &&
      html`<${SearchDialog}
        path=${path}
        onNode=${choose}
        onClose=${() => {
          searching.value = false;
        }}
      />`
    }
    <${Announcer} path=${path} />
  <//>`;
}

/** @param {{ path: import("../../state/open_path.js").OpenPath }} props */
function Missing({ path }) {
  const error = /** @type {any} */ (path.problem.value);
  if (error.status === 404)
    return html`<${Shell}>
      <${EmptyScreen} title=${t("error.gone")} text=${t("not_found.text")}>
        <p><a href=${homeUrl()}>${t("not_found.home")}</a></p>
      <//>
    <//>`;
  return html`<${Shell}><div class="wrap blank"><${Fault} message=${error.message} onRetry=${path.load} /></div><//>`;
}

const SAY_EVERY_MS = 5000;

/**
 * Live region for screen readers: what was added, at most every 5 s.
 * @param {{ path: import("../../state/open_path.js").OpenPath }} props
 */
function Announcer({ path }) {
  const said = useSignal({ text: "", count: 0, atMs: 0 });
  const count = path.live.value ? path.visible.value.length : said.value.count;
  useEffect(() => {
    const added = count - said.value.count;
    if (added <= 0) return;
    const timer = setTimeout(
      () => {
        said.value = { text: t("act.announce_concepts", { n: added }), count, atMs: Date.now() };
      },
      Math.max(400, said.value.atMs + SAY_EVERY_MS - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [count]);
  return html`<p class="vh" role="status">${said.value.text}</p>`;
}
