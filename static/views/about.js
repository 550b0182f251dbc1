// @ts-check
/** What a node is about: its words, why it is there, what to do with it, what it builds on and opens. */

import { listed } from "../format.js";
import { edgeKey, inOrder, MASTERED_AT, partsOf } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { diagnosticUrl, learnUrl, pathUrl } from "../router.js";
import { LastAnswers } from "./lastanswers.js";
import { Mark } from "./marks.js";
import { Sources } from "./sources.js";

/** @import { Path } from "../live.js" */
/** @import { Seen } from "../graph.js" */
/** @typedef {{ path: Path, node: Seen, whys: Map<string, string>, onSelect: (id: string) => void }} Props `whys`: why an edge is there, by its ends */

/** @param {Props} props */
export const AboutNode = ({ path, node, whys, onSelect }) => html`<div class="about" key=${node.id}>
  <p class="chip ${node.state === "ready" || node.state === "progress" ? "leaf" : node.state === "due" ? "due" : ""}"><${Mark} state=${node.state} mastery=${node.mastery} />${t(`state.${node.state}`)}</p>
  <h2>${node.title}</h2>
  <p class="say about-desc">${node.desc ?? t("about.no_desc")}</p>
  ${node.reason && html`<p class="reason why">${node.reason}</p>`}
  ${node.type === "concept" ? html`<${ConceptActions} path=${path} concept=${node} />` : html`<${Learn} path=${path} node=${node} />`}
  <${Facts} path=${path} node=${node} whys=${whys} onSelect=${onSelect} />
</div>`;

/** How far it is known, what it stands on, what it leads to, what it is taken from. @param {Props} props */
export function Facts({ path, node, whys, onSelect }) {
  const all = path.all.value;
  const link = (/** @type {Seen} */ each) => each.type === "concept"
    ? html`<a href=${pathUrl(path.branchId, each.id)}>${each.title}</a>`
    : html`<button class="link plain" type="button" onClick=${() => onSelect(each.id)}>${each.title}</button>`;
  const list = (/** @type {"needs" | "opens"} */ side, /** @type {string} */ none) => {
    const nodes = node[side].flatMap((id) => all.get(id) ?? []);
    if (!nodes.length) return html`<span class="dimmer">${none}</span>`;
    return nodes.map((each) => {
      const why = side === "needs" && whys.get(edgeKey({ sourceNodeId: each.id, targetNodeId: node.id }));
      return html`<div key=${each.id}>${link(each)}${why && html`<p class="reason">${why}</p>`}</div>`;
    });
  };
  return html`<dl class="facts">
    <dt>${t("about.mastery")}</dt><dd>${node.type === "concept" ? conceptMastery(all, node) : html`<${Mastery} mastery=${node.mastery} />`}</dd>
    ${node.type === "subconcept" && html`<${LastAnswers} key=${node.id} node=${node} />`}
    <dt>${t("about.builds_on")}</dt><dd>${list("needs", t("about.ground"))}</dd>
    <dt>${t("about.opens")}</dt><dd>${list("opens", t(node.type === "concept" ? "about.goal" : "about.last"))}</dd>
    ${node.type === "subconcept" && path.documents().length > 0 && html`<dt>${t("about.source")}</dt><dd><${Sources} key=${node.id} nodeId=${node.id} /></dd>`}
  </dl>`;
}

/** @param {Map<string, Seen>} all @param {Seen} concept */
function conceptMastery(all, concept) {
  const parts = partsOf(all, concept.id);
  return t("about.mastered_of", { done: parts.filter((part) => part.state === "mastered" || part.state === "due").length, n: parts.length });
}

/** @param {{ mastery: number }} props */
const Mastery = ({ mastery }) => html`<span class="mast" aria-hidden="true"><i style=${{ width: `${Math.round(mastery * 100)}%` }}></i><u></u></span> ${t("about.mastery_of", { n: Math.round(mastery * 100), goal: Math.round(MASTERED_AT * 100) })}`;

/** The next thing to learn in a concept, and its diagnostic. @param {{ path: Path, concept: Seen }} props */
export function ConceptActions({ path, concept }) {
  const parts = inOrder(partsOf(path.all.value, concept.id));
  if (!parts.length) return null;
  const next = parts.find((part) => part.state === "progress") ?? parts.find((part) => part.state === "ready");
  const isBegun = parts.some((part) => part.mastery > 0);
  const lesson = next && concept.state !== "locked" && html`<a class=${isBegun ? "btn go" : "btn"} href=${learnUrl(path.branchId, concept.id, next.id)}>${t(next.state === "progress" ? "about.go_on" : "about.begin")}</a>`;
  return html`<div class="about-go row">
    ${isBegun && lesson}
    <a class=${isBegun || concept.state === "locked" ? "btn" : "btn go"} href=${diagnosticUrl(path.branchId, concept.id)}>${t(isBegun ? "about.diagnostic_again" : "about.diagnostic")}</a>
    ${!isBegun && lesson}
    ${lesson && html`<p class="t13 dim about-next">${t("about.next", { title: next?.title })}</p>`}
  </div>`;
}

/** The way into a lesson, or what stands before it. @param {{ path: Path, node: Seen }} props */
export function Learn({ path, node }) {
  const all = path.all.value;
  const waits = node.needs.flatMap((id) => { const need = all.get(id); return need && need.state !== "mastered" ? [need.title] : []; });
  const label = node.state === "mastered" ? "about.look" : node.state === "progress" ? "about.go_on" : "about.learn";
  return html`<p class="about-go"><a class=${node.state === "locked" ? "btn" : "btn go"} href=${learnUrl(path.branchId, node.parentId ?? "", node.id)}>${t(label)}</a></p>
    ${waits.length > 0 && html`<p class="t13 dim">${t("about.before", { titles: listed(waits), n: waits.length })}</p>`}`;
}
