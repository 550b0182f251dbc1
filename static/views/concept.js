// @ts-check
/** An opened concept: its subconcepts on a map or in a list, and what each is about. */

import { listed } from "../format.js";
import { ancestry, partsOf } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { pathUrl } from "../router.js";
import { makerOf, wordsOf } from "../words.js";
import { nowMs } from "../clock.js";
import { AboutNode, ConceptActions, Facts, Learn } from "./about.js";
import { goneOf } from "./changes.js";
import { FittedChanges, useFitted, whysOf } from "./fitted.js";
import { StemList, Views } from "./list.js";
import { LevelMap } from "./map.js";
import { MiniMap } from "./minimap.js";

/** @import { Path } from "../live.js" */
/** @import { Seen } from "../graph.js" */

/** @param {{ path: Path, concept: Seen, view: import("./pathlevel.js").View }} props */
export function ConceptLevel({ path, concept, view }) {
  const all = path.all.value;
  const nodes = partsOf(all, concept.id);
  const back = pathUrl(path.branchId);
  const selected = view.selected.value;
  const words = (/** @type {Seen} */ node) => wordsOf(node, [], undefined, 0);
  const needs = concept.needs.flatMap((id) => all.get(id)?.title ?? []);
  const brings = needs.length ? t("map.builds_on", { titles: listed(needs) }) : t("map.starts_here");
  const maker = makerOf(path.makers.value, concept.id);
  const standing = wordsOf(concept, nodes, maker, maker?.retry ? nowMs.value : 0);
  const stands = concept.state === "ready" ? t("state.ready") : standing.text; // the number of subconcepts stands before it
  const choose = (/** @type {string} */ id) => { view.selected.value = view.selected.value === id ? null : id; };
  const head = html`<div class="map-head"><h1 class="t24">${concept.title}</h1>
    <p class="growing">${maker && !maker.endedAt && html`<span class="pulse"></span>`}<span>${nodes.length ? t("agent.subconcepts", { n: nodes.length }) : t("map.no_parts")}${maker && !maker.endedAt ? "" : `. ${stands}`}</span></p>
    ${!view.wide && html`<${Views} view=${view} tabs=${["list", "map"]} />`}</div>`;
  const shown = (selected && all.get(selected)) || concept;
  const fitted = useFitted(path, concept.id);
  const whys = whysOf(fitted.all);
  const side = html`<aside class="side" aria-label=${t("path.about")}><${AboutNode} path=${path} node=${shown} whys=${whys} onSelect=${choose} /><${FittedChanges} path=${path} fitted=${fitted} /></aside>`;
  const inRow = (/** @type {Seen} */ node) => html`<p class="say stem-lead">${node.desc ?? t("about.no_desc")}</p>${node.reason && html`<p class="reason why">${node.reason}</p>`}
    <${Learn} path=${path} node=${node} /><${Facts} path=${path} node=${node} whys=${whys} onSelect=${choose} />`;

  if (view.asList) {
    return html`<section class="phone wrap" aria-label=${t("path.list")}>
        <div class="phone-head">${head}${!view.wide && html`<p class="say concept-desc">${concept.desc}</p>${concept.reason && html`<p class="reason why">${concept.reason}</p>`}<${ConceptActions} path=${path} concept=${concept} />`}${view.wide && html`<${Views} view=${view} tabs=${["list", "map"]} />`}</div>
        <${StemList} nodes=${nodes} words=${words} petals=${() => ""} onOpen=${() => back} selected=${selected} onSelect=${choose} lead=${(/** @type {Seen} */ node) => !view.wide && inRow(node)} />
        ${!view.wide && html`<${FittedChanges} path=${path} fitted=${fitted} />`}
      </section>
      ${view.wide && side}`;
  }
  return html`<${LevelMap} key=${concept.id} all=${all} nodes=${nodes} gone=${goneOf(path.playhead.value === null ? fitted.all ?? [] : [], all)} places=${path.placesOf(concept.id, nodes)} fresh=${path.fresh.value} live=${path.live.value} label=${t("map.parts_label", { title: concept.title })}
      petals=${() => ""} words=${words} brings=${brings} selected=${selected} focusOn=${view.focusOn} onOpen=${choose} hasNotes=${!view.wide} isRoomy=${false} onList=${view.toggleList}>
      ${head}
      <${MiniMap} path=${path} concept=${concept} lit=${ancestry(all, concept.id)} />
    <//>
    ${side}`;
}
