// @ts-check
/** What can be done with a node: its step as a button, or what it waits for. */

import { t as about } from "../../i18n/about.js";
import { t } from "../../i18n/next.js";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { isLearned } from "../../lib/node_status.js";
import { lessonUrl, pathUrl } from "../../state/router.js";
import { stepLabel, stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { GraphNode } from "../../state/graph.js" */
/** @typedef {{ node: GraphNode, branchId: string, isFilled?: boolean }} StepProps `isFilled`: the screen's one primary */

/** Button of a node that is not locked: start, continue, review, or look at it. @param {StepProps} props */
export function NodeStep({ node, branchId, isFilled = false }) {
  if (node.type === "concept") return html`<${ConceptStep} node=${node} branchId=${branchId} isFilled=${isFilled} />`;
  const minutes = { n: node.minutes || 1 };
  const begun = node.state === "progress" ? t("next.continue", minutes) : t("next.start", minutes);
  return html`<a class=${look(isFilled)} href=${lessonUrl(branchId, node.parentId ?? "", node.id)}>
    ${isLearned(node) ? about("about.look") : begun}
  </a>`;
}

/** @param {boolean} isFilled */
const look = (isFilled) => (isFilled ? "btn go" : "btn");

/** What comes next in a concept; where nothing does, its parts. @param {StepProps} props */
function ConceptStep({ node, branchId, isFilled = false }) {
  const next = useNextStep({ nodeId: node.id });
  if (!next) return html`<p class="dim">${t("next.loading")}</p>`;
  if (!next.node && next.kind !== "review")
    return html`<a class=${look(isFilled)} href=${pathUrl(branchId, node.id)}>${about("map.open")}</a>`;
  return html`
    <a class=${look(isFilled)} href=${stepUrl(next)}>${stepLabel(next)}</a>
    <p class="t13 dim">${about("about.next", { title: stepTitle(next) })}</p>
  `;
}

/** That a node is locked, and what it waits for. @param {{ node: GraphNode, all: Map<string, GraphNode> }} props */
export function LockedLine({ node, all }) {
  const titles = waitsFor(node, all).map((one) => t("next.title", { title: one.title }));
  return html`<p class="locked-line">
    <${Mark} state="locked" />
    <span>
      <b>${common("state.locked")}</b>
      ${titles.length > 0 && html`<br />${t("next.locked", { titles: conjunction(titles), n: titles.length })}`}
    </span>
  </p>`;
}

/**
 * What a locked node builds on and is not learned yet; of a part without any, that of its concept.
 * @param {GraphNode} node @param {Map<string, GraphNode>} all @returns {GraphNode[]}
 */
function waitsFor(node, all) {
  const open = node.needs.flatMap((id) => all.get(id) ?? []).filter((one) => !isLearned(one));
  const concept = node.type === "subconcept" && all.get(node.parentId ?? "");
  return open.length || !concept ? open : waitsFor(concept, all);
}
