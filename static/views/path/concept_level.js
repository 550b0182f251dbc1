// @ts-check
/** Level of an opened concept: its subconcepts as map or list, with details. */

import { t } from "../../i18n/about.js";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { conceptAgent, nodeStatus, statusWithMinutes } from "../../lib/node_status.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { nowMs } from "../../state/clock.js";
import { ancestry, partsOf } from "../../state/graph.js";
import { pathUrl } from "../../state/router.js";
import { lazy } from "../common/lazy.js";
import { removedNodesOf } from "../common/changes.js";
import { WhyHere } from "../common/why_here.js";
import { LevelMap } from "../map/map.js";
import { MiniMap } from "../map/minimap.js";
import { AdaptationList, useAdaptations, edgeReasons } from "./adaptations.js";
import { NodeList } from "./list.js";
import { Unfinished } from "./unfinished.js";
import { ViewSwitch } from "./view_switch.js";
import { AddQuestions, NodeDetails, ConceptActions, NodeFacts, LessonLink } from "./node_details.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { GraphNode } from "../../state/graph.js" */

const mixUpLine = lazy(async () => {
  const [{ MixUpLine }] = await Promise.all([import("./mix_up_line.js"), loadSheet("styles/mixups.css")]);
  return MixUpLine;
});

/** @param {{ path: OpenPath, concept: GraphNode, view: import("./path_level.js").View }} props */
export function ConceptLevel({ path, concept, view }) {
  const all = path.all.value;
  const nodes = partsOf(all, concept.id);
  const back = pathUrl(path.branchId);
  const selected = view.selected.value;
  const words = (/** @type {GraphNode} */ node) => nodeStatus(node, [], undefined, 0);
  const needs = concept.needs.flatMap((id) => all.get(id)?.title ?? []);
  const brings = needs.length ? t("map.builds_on", { titles: conjunction(needs) }) : t("map.starts_here");
  const maker = conceptAgent(path.makers.value, concept.id);
  const standing = nodeStatus(concept, nodes, maker, maker?.retry ? nowMs.value : 0);
  // Follows the number of subconcepts.
  const stands = statusWithMinutes(concept.state === "ready" ? { ...standing, text: common("state.ready") } : standing);
  const choose = (/** @type {string} */ id) => {
    view.selected.value = view.selected.value === id ? null : id;
  };
  const head = html`<div class="map-head">
    <h1 class="t24">${concept.title}</h1>
    <p class="growing">
      ${maker && !maker.endedAt && html`<span class="pulse"></span>`}
      <span>
        ${nodes.length ? common("agent.subconcepts", { n: nodes.length }) : t("map.no_parts")}
        ${maker && !maker.endedAt ? "" : `. ${stands}`}
      </span>
    </p>
    ${!view.wide && html`<${ViewSwitch} view=${view} tabs=${["list", "map"]} />`}
  </div>`;
  const shown = (selected && all.get(selected)) || concept;
  const adaptations = useAdaptations(path, concept.id);
  const reasons = edgeReasons(adaptations.all);
  const mixUp = html`<${mixUpLine.View}
    branchId=${path.branchId}
    conceptId=${concept.id}
    turn=${path.run.value?.state}
  />`;
  const unfinished = html`<${Unfinished} path=${path} of=${[concept]} />`;
  const side = html`<aside class="side" aria-label=${t("path.about")}>
    <${NodeDetails} path=${path} node=${shown} reasons=${reasons} onSelect=${choose} />
    ${unfinished}
    ${mixUp}
    <${AdaptationList} path=${path} adaptations=${adaptations} />
  </aside>`;
  const inRow = (/** @type {GraphNode} */ node) => html`
    <p class="say stem-lead">${node.desc ?? t("about.no_desc")}</p>
    <${LessonLink} path=${path} node=${node} />
    <${WhyHere} reason=${node.reason} />
    <${NodeFacts} path=${path} node=${node} reasons=${reasons} onSelect=${choose} />
  `;

  if (view.asList) {
    return html`
      <section class="phone wrap" aria-label=${common("path.list")}>
        <div class="phone-head">
          ${head}
          ${
            !view.wide &&
            html`
              <p class="say concept-desc">${concept.desc}</p>
              ${unfinished}
              <${ConceptActions} path=${path} concept=${concept} isQuiet=${selected !== null} />
              <${WhyHere} reason=${concept.reason} />
              ${mixUp}
            `
          }
          ${view.wide && html`<${ViewSwitch} view=${view} tabs=${["list", "map"]} />`}
        </div>
        <${NodeList}
          nodes=${nodes}
          words=${words}
          petals=${() => ""}
          onOpen=${() => back}
          selected=${selected}
          onSelect=${choose}
          lead=${(/** @type {GraphNode} */ node) => !view.wide && inRow(node)}
        />
        ${
          !view.wide &&
          html`<${AdaptationList} path=${path} adaptations=${adaptations} /><${AddQuestions}
              path=${path}
              node=${concept}
            />`
        }
      </section>
      ${view.wide && side}
    `;
  }
  return html`
    <${LevelMap}
      key=${concept.id}
      all=${all}
      nodes=${nodes}
      gone=${removedNodesOf(path.playhead.value === null ? (adaptations.all ?? []) : [], all)}
      places=${path.placesOf(concept.id, nodes)}
      fresh=${path.fresh.value}
      live=${path.live.value}
      label=${t("map.parts_label", { title: concept.title })}
      petals=${() => ""}
      words=${words}
      brings=${brings}
      selected=${selected}
      focusOn=${view.focusOn}
      onOpen=${choose}
      branchId=${path.branchId}
      isRoomy=${false}
      onList=${view.toggleList}
    >
      ${head}
      <${MiniMap} path=${path} concept=${concept} lit=${ancestry(all, concept.id)} />
    <//>
    ${side}
  `;
}
