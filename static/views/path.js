// @ts-check
/** A path: its map or list, an opened concept, and what the agents do or did. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useTicking } from "../clock.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { openPath } from "../live.js";
import { go, home, pathUrl } from "../router.js";
import { modelName } from "../format.js";
import { isOpen } from "../shown.js";
import { useWide } from "./wide.js";
import { lazily } from "./lazily.js";
import { fetchSearch, Magnifier, SearchDialog } from "./magnifier.js";
import { PathLevel } from "./pathlevel.js";
import { Runbar } from "./runbar.js";
import { Blank, Fault, Shell } from "./shell.js";

/** The map is there before the panel beside it. */
const activity = lazily(async () => (await import("./activity.js")).ActivityPanel);
const concepts = lazily(async () => (await import("./concept.js")).ConceptLevel);
const changes = lazily(async () => (await import("./fitted.js")).PathChanges);
/** The rest of the screen's code is fetched once the first view has had its time: later the network may be away. */
const AHEAD_MS = 1500;

/** @typedef {"list" | "map" | "activity" | "about"} Tab */

/** @param {{ branchId: string, conceptId: string | null }} props */
export function PathScreen({ branchId, conceptId }) {
  const path = useMemo(() => openPath(branchId), [branchId]);
  useEffect(() => path.close, [path]);
  const isViewed = useSignal(false);
  useEffect(() => {
    const ahead = () => {
      isViewed.value = true;
      import("./activity.js").then(({ fetchAhead }) => fetchAhead(), () => null); // the network is away: the panel itself asks again
      concepts.ahead();
      fetchSearch();
    };
    const timer = setTimeout(ahead, AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  const wide = useWide();
  const asList = useSignal(false);
  const tab = useSignal(/** @type {Tab} */ ("list"));
  const searching = useSignal(false);
  const focusOn = useSignal(/** @type {string | null} */ (null));
  const selected = useSignal(/** @type {string | null} */ (null));

  const title = path.answer.value?.branch.title ?? "";
  const concept = conceptId ? path.all.value.get(conceptId) : undefined;
  useTicking(isOpen(path.run.value));
  useEffect(() => { if (title) document.title = t("app.path_title", { title: concept?.title ?? title }); }, [title, concept?.title]);
  const lastConcept = useRef(conceptId);
  useEffect(() => {
    selected.value = null;
    if (conceptId && tab.value === "activity") tab.value = "list";
    focusOn.value = conceptId ? null : lastConcept.current; // back on the path: where one came from
    if (conceptId !== lastConcept.current && conceptId) document.getElementById("main")?.focus({ preventScroll: true });
    lastConcept.current = conceptId;
    if (!conceptId) return;
    const escape = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) go(pathUrl(branchId)); };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, [conceptId]);

  if (path.problem.value) return html`<${Missing} path=${path} />`;
  if (!path.answer.value) return html`<${Shell} crumbs=${[{ title: t("nav.paths"), url: home() }]}><p class="wrap loading dimmer" role="status">${t("path.loading")}</p><//>`;
  if (conceptId && !concept && !path.live.value) return html`<${Shell}><${Blank} title=${t("not_found.title")} text=${t("not_found.text")}><p><a href=${pathUrl(branchId)}>${t("map.back")}</a></p><//><//>`;

  const crumbs = concept
    ? [{ title: t("nav.paths"), url: home() }, { title, url: pathUrl(branchId) }, { title: concept.title, url: null }]
    : [{ title: t("nav.paths"), url: home() }, { title, url: null }];
  const run = path.run.value;
  const magnifier = html`<${Magnifier} searching=${searching} />`;
  const choose = (/** @type {import("../graph.js").Seen} */ node) => {
    if (node.type === "concept") { go(pathUrl(branchId)); tab.value = "list"; focusOn.value = null; setTimeout(() => { focusOn.value = node.id; }, 60); return; }
    go(pathUrl(branchId, node.parentId));
    setTimeout(() => { selected.value = node.id; focusOn.value = node.id; }, 60);
  };
  const view = { wide, asList: asList.value || (!wide && tab.value !== "map"), tab, focusOn: focusOn.value, selected, toggleList: () => { if (wide) asList.value = !asList.value; else tab.value = tab.value === "map" ? "list" : "map"; } };

  return html`<${Shell} crumbs=${crumbs} tools=${magnifier} asked=${(wide || tab.value === "activity") && !conceptId ? path.asking.value : []} work note=${run?.offline ? modelName(run.model, true) : null}>
    ${concept
      ? html`<${concepts.View} path=${path} concept=${concept} view=${view} />`
      : html`<${PathLevel} path=${path} view=${view} />`}
    ${!conceptId && (wide || tab.value === "activity") && html`<${activity.View} path=${path}>${isViewed.value && html`<${changes.View} path=${path} />`}<//>`}
    ${!wide && isOpen(run) && run?.state !== "waiting_on_human" && !run?.cutOff && html`<${Runbar} path=${path} />`}
    ${searching.value && html`<${SearchDialog} path=${path} onNode=${choose} onClose=${() => { searching.value = false; }} />`}
    <${Announcer} path=${path} />
  <//>`;
}

/** @param {{ path: import("../live.js").Path }} props */
function Missing({ path }) {
  const error = /** @type {any} */ (path.problem.value);
  if (error.status === 404) return html`<${Shell}><${Blank} title=${t("error.gone")} text=${t("not_found.text")}><p><a href=${home()}>${t("not_found.home")}</a></p><//><//>`;
  return html`<${Shell}><div class="wrap blank"><${Fault} message=${error.message} onRetry=${path.load} /></div><//>`;
}

const SAY_EVERY_MS = 5000;

/** One polite line for those who do not see the map: what was added, at most every 5 s. @param {{ path: import("../live.js").Path }} props */
function Announcer({ path }) {
  const said = useSignal({ text: "", count: 0, atMs: 0 });
  const count = path.live.value ? path.visible.value.length : said.value.count;
  useEffect(() => {
    const added = count - said.value.count;
    if (added <= 0) return;
    const timer = setTimeout(() => {
      said.value = { text: t("act.announce_concepts", { n: added }), count, atMs: Date.now() };
    }, Math.max(400, said.value.atMs + SAY_EVERY_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [count]);
  return html`<p class="vh" role="status">${said.value.text}</p>`;
}
