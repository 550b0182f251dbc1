// @ts-check
/** Concepts of a path. */

import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { conceptAgent, isLearned, petalsOf, queuePositionWords, nodeStatus } from "../../lib/node_status.js";
import { nowMs } from "../../state/clock.js";
import { partsOf } from "../../state/graph.js";
import { runUrl } from "../../state/router.js";
import { isActive } from "../../state/run_view.js";
import { lazy } from "../common/lazy.js";
import { LevelMap } from "../map/map.js";
import { ViewSwitch } from "./view_switch.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { GraphNode } from "../../state/graph.js" */
/**
 * @typedef {{
 *   wide: boolean,
 *   asList: boolean,
 *   tab: import("@preact/signals").Signal<string>,
 *   focusOn: string | null,
 *   upNext: string | null,
 *   selected: import("@preact/signals").Signal<string | null>,
 *   toggleList: () => void,
 * }} View
 */

const notes = lazy(async () => (await import("./documents.js")).PathDocuments);
const empty = lazy(async () => (await import("./empty_path.js")).EmptyPath);
const list = lazy(async () => (await import("./path_list.js")).PathList);

/** @param {{ path: OpenPath, view: View }} props */
export function PathLevel({ path, view }) {
  const all = path.all.value;
  const nodes = path.visible.value;
  const makers = path.makers.value;
  const partsShown = (/** @type {GraphNode} */ node) =>
    partsOf(all, node.id).filter((part) => !path.hidden.value.has(part.id));
  const words = (/** @type {GraphNode} */ node) => {
    const maker = conceptAgent(makers, node.id);
    return nodeStatus(node, partsShown(node), maker, maker?.retry ? nowMs.value : 0);
  };
  const petals = (/** @type {GraphNode} */ node) => petalsOf(partsShown(node));
  const title = path.answer.value?.branch.title ?? "";
  const isBarren = !nodes.length && !isActive(path.run.value) && path.playhead.value === null;
  const barren = isBarren && html`<${empty.View} path=${path} />`;
  const head = html`<div class="map-head">
    <h1 class="t24">${title}</h1>
    <${Standing} path=${path} nodes=${nodes} />
    ${path.documents().length > 0 && html`<${notes.View} path=${path} />`}
    ${!view.wide && html`<${ViewSwitch} view=${view} tabs=${["list", "map", "activity"]} />`}
  </div>`;

  if (view.asList) {
    return html`<section
      class=${view.wide || view.tab.value === "list" ? "phone wrap" : "phone wrap brief"}
      aria-label=${t("path.list")}
    >
      <div class="phone-head">${head}${view.wide && html`<${ViewSwitch} view=${view} tabs=${["list", "map"]} />`}</div>
      ${
        (view.wide || view.tab.value === "list") &&
        html`<${list.View} path=${path} nodes=${nodes} words=${words} petals=${petals} />`
      }
      ${(view.wide || view.tab.value === "list") && barren}
    </section>`;
  }
  return html`<${LevelMap}
    key="path"
    all=${all}
    nodes=${nodes}
    places=${path.placesOf("path", path.playhead.value === null ? nodes : allConcepts(path))}
    fresh=${path.fresh.value}
    live=${path.live.value}
    label=${t("map.label", { title })}
    petals=${petals}
    words=${words}
    brings=${t("path.brings")}
    selected=${null}
    focusOn=${view.focusOn}
    opensOn=${view.upNext}
    branchId=${path.branchId}
    isRoomy
    onList=${view.toggleList}
  >
    ${head}
    ${barren}
  <//>`;
}

/** @param {OpenPath} path */
const allConcepts = (path) => [...path.all.value.values()].filter((node) => node.type === "concept");

/** How the path stands. @param {{ path: OpenPath, nodes: GraphNode[] }} props */
function Standing({ path, nodes }) {
  const run = path.run.value;
  const subconcepts = nodes.reduce(
    (sum, node) => sum + node.parts.filter((id) => !path.hidden.value.has(id)).length,
    0,
  );
  const counts = {
    concepts: t("paths.concepts", { n: nodes.length }),
    subconcepts: t("paths.subconcepts", { n: subconcepts }),
  };
  if (run?.state === "queued")
    return html`<p class="growing">
      <span class="pulse"></span>
      <span>
        ${t("path.queued", { position: queuePositionWords(run.position) })}
        <small class="growing-wait">${t("path.growing_wait")}</small>
      </span>
    </p>`;
  if (run?.state === "waiting_on_human")
    return html`<p class="growing"><a class="chip wait" href=${runUrl(run.id)}>${t("path.asks")}</a></p>`;
  if (run?.cutOff)
    return html`<p class="growing"><a class="chip wait" href=${runUrl(run.id)}>${t("handoff.cut_off")}</a></p>`;
  if (isActive(run))
    return html`<p class="growing">
      <span class="pulse"></span>
      <span>
        ${nodes.length ? t("path.growing_parts", counts) : t("path.growing")}
        <small class="growing-wait">${t("path.growing_wait")}</small>
      </span>
    </p>`;
  const done = nodes.filter(isLearned).length;
  const failed =
    nodes.length > 0 &&
    (run?.state === "failed" || run?.state === "timed_out") &&
    html`<p class="growing">
      <a class="chip fault" href=${runUrl(run.id)}>${t(run.state === "failed" ? "paths.failed" : "paths.timed_out")}</a>
    </p>`;
  const stopped = nodes.length > 0 && run?.state === "cancelled" && t("paths.cancelled");
  const facts = [stopped, t("path.learned", { done, n: nodes.length }), counts.subconcepts, timeLeft(nodes)];
  return html`
    ${failed}
    <p class="dim">${nodes.length ? commaJoined(facts) : ""}</p>
  `;
}

/** Time that the lessons of the concepts will take, in words. @param {GraphNode[]} concepts */
function timeLeft(concepts) {
  const minutes = concepts.reduce((sum, concept) => sum + concept.minutes, 0);
  if (!minutes) return "";
  return minutes < 90 ? t("path.minutes_left", { n: minutes }) : t("path.hours_left", { n: Math.round(minutes / 60) });
}
