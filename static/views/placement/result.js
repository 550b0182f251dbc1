// @ts-check
/** Result of a placement: what is known, ready and later, each to overrule, then the one next step. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/placement.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { pathUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { useIsWide } from "../common/media_query.js";
import { lessonOf, stepLabel, stepUrl, useNextStep } from "../common/next_step.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { OpenPlacement } from "../../state/placement.js" */
/** @import { PlacedNode, PlacementSession } from "../../types.d.ts" */

const map = lazy(async () => {
  const [{ ResultMap }] = await Promise.all([import("./result_map.js"), loadSheet("styles/path.css")]);
  return ResultMap;
});
const WORDS = /** @type {const} */ ({ known: "pl.known", ready: "pl.ready", later: "pl.later_state" });
const STATES = /** @type {const} */ ({ known: "learned", ready: "ready", later: "locked" });

/** @param {{ opened: OpenPlacement, session: PlacementSession }} props */
export function PlacementResult({ opened, session }) {
  const isWide = useIsWide();
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [session.id]);
  const turn = session.nodes.map(({ placed }) => placed).join();
  const next = lessonOf(useNextStep({ branchId: session.branchId }, turn));
  const [title, text] = wordsOf(session);
  const busy = opened.busy.value !== null;
  return html`<section class="rv pl">
    <h1 class="t24" tabindex="-1" ref=${heading}>${title}</h1>
    <p class="dim" role="status">${text}</p>
    ${
      opened.refusal.value &&
      html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${opened.refusal.value}</span></p>`
    }
    <div class="rv-acts pl-acts">
      ${
        next &&
        html`<a class="btn go" href=${stepUrl(next)}>
          <span class="pl-next">${t("pl.next", { title: next.node.title })}</span>
          <small>${stepLabel(next)}</small>
        </a>`
      }
      <a class="btn" href=${pathUrl(session.branchId)}>${t("pl.back")}</a>
      <button class="btn flat" type="button" disabled=${busy} onClick=${opened.again}>
        ${t(session.kind === "path" ? "pl.again" : "pl.check_again")}
      </button>
    </div>
    ${
      isWide &&
      session.kind === "path" &&
      html`<${map.View}
        branchId=${session.branchId}
        turn=${turn}
        onList=${() => /** @type {HTMLElement | null} */ (document.querySelector(".pl-concept summary"))?.focus()}
      />`
    }
    ${byConcept(session.nodes).map(
      (nodes) => html`<${ConceptResult} key=${nodes[0].conceptId} opened=${opened} nodes=${nodes} />`,
    )}
  </section>`;
}

/** Heading and text. @param {PlacementSession} session */
function wordsOf({ outcome, title, nodes }) {
  if (outcome === "confirmed") return [t("pl.confirmed", { title }), t("pl.confirmed_text")];
  if (outcome === "not_confirmed") return [t("pl.not_confirmed", { title }), t("pl.not_confirmed_text")];
  const done = nodes.filter(({ placed }) => placed === "known").length;
  if (!done) return [t("pl.none_known"), t("pl.none_text")];
  const inferred = nodes.filter(isInferred).length;
  return [
    t("pl.known_of", { done, n: nodes.length }),
    inferred ? t("pl.inferred_text", { n: inferred }) : t("pl.found_text"),
  ];
}

/** Whether a part is taken as known though nothing was asked about it. @param {PlacedNode} node */
const isInferred = ({ placed, asked, said }) => placed === "known" && asked === 0 && said === null;

/** @param {PlacedNode[]} nodes */
function byConcept(nodes) {
  /** @type {Map<string, PlacedNode[]>} */
  const found = new Map();
  for (const node of nodes) found.set(node.conceptId, [...(found.get(node.conceptId) ?? []), node]);
  return [...found.values()];
}

/** A concept; where all comes later its parts are folded. @param {{ opened: OpenPlacement, nodes: PlacedNode[] }} props */
function ConceptResult({ opened, nodes }) {
  const done = nodes.filter(({ placed }) => placed === "known").length;
  const isFolded = nodes.every(({ placed, said }) => placed === "later" && said === null);
  return html`<details class="pl-concept" open=${!isFolded}>
    <summary>
      <h2>${nodes[0].concept}</h2>
      <span>${t("pl.of", { done, n: nodes.length })}</span>
    </summary>
    <ul>
      ${nodes.map((node) => html`<${NodeResult} key=${node.nodeId} opened=${opened} node=${node} />`)}
    </ul>
  </details>`;
}

/** A part, with the learner's word against what was found. @param {{ opened: OpenPlacement, node: PlacedNode }} props */
function NodeResult({ opened, node }) {
  const { nodeId, title, placed, found, said } = node;
  const overruled = said !== null;
  const known = placed === "known";
  const [label, name] = actOf({ overruled, known, title });
  return html`<li>
    <${Mark} state=${STATES[placed]} />
    <span class="pl-name">
      ${title}
      <small>${standing(node)}</small>
    </span>
    <button
      class="btn sm"
      type="button"
      aria-label=${name}
      disabled=${opened.busy.value !== null}
      aria-busy=${opened.busy.value === nodeId || undefined}
      onClick=${() => opened.overrule(nodeId, overruled ? found : !known)}
    >
      ${overruled && html`<${Icon} name="undo" small />`} ${label}
    </button>
  </li>`;
}

/** Where the learner stands with a part, and by whose word. @param {PlacedNode} node */
function standing(node) {
  if (node.said !== null) return t(node.said ? "pl.said_known" : "pl.said_not");
  return t(isInferred(node) ? "pl.inferred" : WORDS[node.placed]);
}

/**
 * What the learner can say of a part, or take back: the label, and the name for who does not see the row.
 * @param {{ overruled: boolean, known: boolean, title: string }} part
 */
function actOf({ overruled, known, title }) {
  if (overruled) return [t("pl.undo"), t("pl.undo_of", { title })];
  return known ? [t("pl.i_do_not"), t("pl.i_do_not_of", { title })] : [t("pl.i_know"), t("pl.i_know_of", { title })];
}
