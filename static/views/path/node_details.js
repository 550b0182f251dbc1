// @ts-check
/** Details of a node: description, reason, actions, prerequisites and successors. */

import { t } from "../../i18n/about.js";
import { conjunction } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { isLearned, statusWithMinutes } from "../../lib/node_status.js";
import { edgeKey, LEARNED_AT, partsOf } from "../../state/graph.js";
import { diagnosticUrl, lessonUrl, pathUrl } from "../../state/router.js";
import { ReviewLine, stepLabel, stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { t as onward } from "../../i18n/next.js";
import { Mark } from "../common/node_state_shapes.js";
import { LastAnswers } from "./last_answers.js";
import { lazy } from "../common/lazy.js";
import { Loading } from "../common/shell.js";
import { WhyHere } from "../common/why_here.js";
import { Sources } from "./sources.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { GraphNode } from "../../state/graph.js" */
/**
 * @typedef {{ path: OpenPath, node: GraphNode, reasons: Map<string, string>, onSelect: (id: string) => void }} Props
 *   `reasons`: reasons of edges, by their ends
 */

const knowThis = lazy(async () => (await import("../placement/know_this.js")).KnowThis);

const questionFiles = lazy(async () => {
  const [{ QuestionFiles }] = await Promise.all([import("./question_files.js"), loadSheet("styles/questions.css")]);
  return QuestionFiles;
});

/** Of a step that is not known yet, so that its place is as wide. */
const USUAL_MINUTES = 8;
/** @type {Record<import("../../state/graph.js").NodeState, string>} */
const TONES = { locked: "", ready: "leaf", progress: "leaf", learned: "", mastered: "", due: "due" };

/** @param {Props} props */
export const NodeDetails = ({ path, node, reasons, onSelect }) => html`<div class="about" key=${node.id}>
  <p class="chip ${TONES[node.state]}">
    <${Mark} state=${node.state} mastery=${node.mastery} />
    ${statusWithMinutes({ text: common(`state.${node.state}`), tone: "", minutes: node.minutes })}
  </p>
  <h2>${node.title}</h2>
  <p class="say about-desc">${node.desc ?? t("about.no_desc")}</p>
  ${
    node.type === "concept"
      ? html`<${ConceptActions} path=${path} concept=${node} />`
      : html`<${LessonLink} path=${path} node=${node} />`
  }
  <${WhyHere} reason=${node.reason} />
  <${NodeFacts} path=${path} node=${node} reasons=${reasons} onSelect=${onSelect} />
  <${AddQuestions} path=${path} node=${node} />
</div>`;

/**
 * Adding questions from files to a concept that has parts, and taking along those that were answered.
 * @param {{ path: OpenPath, node: GraphNode }} props
 */
export function AddQuestions({ path, node }) {
  const parts = partsOf(path.all.value, node.id);
  if (node.type !== "concept" || !parts.length) return null;
  return html`<${questionFiles.View} concept=${node} isBegun=${parts.some((part) => part.begun)} />`;
}

/** Facts of a node: mastery, prerequisites, successors, sources. @param {Props} props */
export function NodeFacts({ path, node, reasons, onSelect }) {
  const all = path.all.value;
  const link = (/** @type {GraphNode} */ each) =>
    each.type === "concept"
      ? html`<a href=${pathUrl(path.branchId, each.id)}>${each.title}</a>`
      : html`<button class="link plain" type="button" onClick=${() => onSelect(each.id)}>${each.title}</button>`;
  const list = (/** @type {"needs" | "opens"} */ side, /** @type {string} */ none) => {
    const nodes = node[side].flatMap((id) => all.get(id) ?? []);
    if (!nodes.length) return html`<span class="dimmer">${none}</span>`;
    return nodes.map((each) => {
      const why = side === "needs" && reasons.get(edgeKey({ sourceNodeId: each.id, targetNodeId: node.id }));
      return html`<div key=${each.id}>${link(each)}${why && html`<p class="reason">${why}</p>`}</div>`;
    });
  };
  return html`<dl class="facts">
    <dt>${t("about.mastery")}</dt>
    <dd>${node.type === "concept" ? conceptMastery(all, node) : html`<${Mastery} mastery=${node.mastery} />`}</dd>
    ${node.type === "subconcept" && html`<${LastAnswers} key=${node.id} node=${node} />`}
    <dt>${t("about.builds_on")}</dt>
    <dd>${list("needs", t("about.ground"))}</dd>
    <dt>${t("about.opens")}</dt>
    <dd>${list("opens", t(node.type === "concept" ? "about.goal" : "about.last"))}</dd>
    ${
      node.type === "subconcept" &&
      path.documents().length > 0 &&
      html`<dt>${t("about.source")}</dt><dd><${Sources} key=${node.id} nodeId=${node.id} /></dd>`
    }
  </dl>`;
}

/** @param {Map<string, GraphNode>} all @param {GraphNode} concept */
function conceptMastery(all, concept) {
  const parts = partsOf(all, concept.id);
  return t("about.learned_of", { done: parts.filter(isLearned).length, n: parts.length });
}

/** @param {{ mastery: number }} props */
const Mastery = ({ mastery }) =>
  html`
    <span class="mast" aria-hidden="true"><i style=${{ width: `${Math.round(mastery * 100)}%` }}></i><u></u></span> ${t(
      "about.mastery_of",
      { n: Math.round(mastery * 100), goal: Math.round(LEARNED_AT * 100) },
    )}
  `;

/**
 * Links of a concept: what comes next in it, and the diagnostic.
 * @param {{ path: OpenPath, concept: GraphNode, isQuiet?: boolean }} props `isQuiet`: another part of the screen says
 *   what comes next
 */
export function ConceptActions({ path, concept, isQuiet = false }) {
  const parts = partsOf(path.all.value, concept.id);
  const next = useNextStep({ nodeId: concept.id }, path.run.value?.state);
  if (!parts.length) return null;
  const isBegun = parts.some((part) => part.begun);
  const isLeft = next?.node || next?.kind === "review";
  const isOffered = next && !isQuiet;
  const isLoading = !next && !isQuiet;
  return html`<div class="about-go row" aria-busy=${isLoading || undefined}>
    ${
      isLoading &&
      html`
        <${Loading} words=${onward("next.loading")} isWrapped=${false} />
        <span class="btn" aria-hidden="true">${onward("next.start", { n: USUAL_MINUTES })}</span>
      `
    }
    ${
      isOffered &&
      html`<a class="btn go" href=${isLeft ? stepUrl(next) : pathUrl(path.branchId)}>
        ${isLeft ? stepLabel(next) : onward("next.to_path")}
      </a>`
    }
    ${
      !path.answer.value?.bare.includes(concept.id) &&
      html`<a class="btn" href=${diagnosticUrl(path.branchId, concept.id)}>
        ${t(isBegun ? "about.diagnostic_again" : "about.diagnostic")}
      </a>`
    }
    ${!isLearned(concept) && html`<${knowThis.View} branchId=${path.branchId} nodeId=${concept.id} />`}
    ${isOffered && isLeft && html`<p class="t13 dim about-next">${t("about.next", { title: stepTitle(next) })}</p>`}
    ${isLoading && html`<p class="t13 about-next">${"\u00a0"}</p>`}
    ${isOffered && html`<${ReviewLine} next=${next} />`}
  </div>`;
}

/** Link to a lesson, with prerequisites that are not learned. @param {{ path: OpenPath, node: GraphNode }} props */
export function LessonLink({ path, node }) {
  const all = path.all.value;
  const waits = node.needs.flatMap((id) => {
    const need = all.get(id);
    return need && !isLearned(need) ? [need.title] : [];
  });
  const label = isLearned(node) ? "about.look" : node.state === "progress" ? "about.go_on" : "about.learn";
  return html`
    <p class="about-go row">
      <a
        class=${node.state === "locked" ? "btn" : "btn go"}
        href=${lessonUrl(path.branchId, node.parentId ?? "", node.id)}
      >
        ${t(label)}
      </a>
      ${!isLearned(node) && html`<${knowThis.View} branchId=${path.branchId} nodeId=${node.id} />`}
    </p>
    ${
      waits.length > 0 &&
      html`<p class="t13 dim">${t("about.before", { titles: conjunction(waits), n: waits.length })}</p>`
    }
  `;
}
