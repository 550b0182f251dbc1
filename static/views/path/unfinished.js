// @ts-check
/** Concepts whose parts could not be made, and the button that grows them. */

import { t } from "../../i18n/next.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";

/** @import { GraphNode } from "../../state/graph.js" */
/** @import { OpenPath } from "../../state/open_path.js" */

/** Agents that end for want of money have such a reason. */
const BUDGET = /^budget_/;

/**
 * What a run that has ended left without parts; nothing where it left nothing.
 * @param {{ path: OpenPath, of?: GraphNode[] }} props `of`: among these concepts alone
 */
export function Unfinished({ path, of = path.visible.value }) {
  const run = path.run.value;
  const left = of.filter((concept) => !concept.parts.length).map(({ id }) => id);
  if (!left.length || (run && run.state !== "completed")) return null;
  const agents = Object.values(path.activity.value?.agents ?? {});
  const isBudget = agents.some(({ nodeId, reason }) => left.includes(nodeId ?? "") && BUDGET.test(reason ?? ""));
  return html`<div class="unfinished t13">
    <p>${t(isBudget ? "next.unfinished_budget" : "next.unfinished", { n: left.length })}</p>
    <${GrowRest} path=${path} />
  </div>`;
}

/** @param {{ path: OpenPath }} props */
export const GrowRest = ({ path }) => html`<button
    class="btn sm"
    type="button"
    disabled=${path.busy.value === "starting"}
    onClick=${() => path.grow(path.run.value?.small ?? false)}
  >
    ${common(path.busy.value === "starting" ? "error.retrying" : "path.again")}
  </button>
  ${path.refusal.value && html`<span class="err" role="alert">${path.refusal.value}</span>`}`;
