// @ts-check
/** Sheet of a node on a small screen: what it is for, the one thing to do with it, and "I know this". */

import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/next.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import { ancestry } from "../../state/graph.js";
import { pathUrl } from "../../state/router.js";
import { Dialog } from "../common/dialog.js";
import { WhyHere } from "../common/why_here.js";
import { KnowThis } from "../placement/know_this.js";
import { LockedLine, NodeStep } from "./node_action.js";
import { useSwipeDown } from "./swipe_down.js";

/** @import { GraphNode } from "../../state/graph.js" */

/**
 * @typedef {{
 *   node: GraphNode,
 *   status: string,
 *   all: Map<string, GraphNode>,
 *   branchId: string,
 *   onTurn: (id: string) => void,
 *   onClose: () => void,
 * }} SheetProps `onTurn`: to the sheet of another node
 */

/** @param {SheetProps} props */
export function NodeSheet({ node, status, all, branchId, onTurn, onClose }) {
  const inside = useRef(/** @type {HTMLElement | null} */ (null));
  useSwipeDown(inside, onClose);
  useLayoutEffect(() => inside.current?.focus(), [node.id]);
  return html`<${Dialog} title=${node.title} kind="sheet" onClose=${onClose}>
    <div class="sheet-in" tabindex="-1" ref=${inside}>
      ${node.state === "locked" && html`<${LockedLine} node=${node} all=${all} />`}
      <p class="t13 dim">${status}</p>
      ${node.desc && html`<p class="say">${node.desc}</p>`}
      <${Action} key=${node.id} node=${node} all=${all} branchId=${branchId} onTurn=${onTurn} />
      ${!isLearned(node) && html`<${KnowThis} branchId=${branchId} nodeId=${node.id} />`}
      ${node.type === "concept" && html`<a class="btn flat" href=${pathUrl(branchId, node.id)}>${t("next.parts")}</a>`}
      <${WhyHere} reason=${node.reason} />
      <button class="btn flat" type="button" onClick=${onClose}>${t("next.close")}</button>
    </div>
  <//>`;
}

/** The filled button. @param {Omit<SheetProps, "status" | "onClose">} props */
function Action({ node, all, branchId, onTurn }) {
  if (node.state === "locked") return html`<${BuildsOn} node=${node} all=${all} onTurn=${onTurn} />`;
  return html`<${NodeStep} node=${node} branchId=${branchId} isFilled />`;
}

/**
 * The way to what can be learned now and leads to a locked node.
 * @param {Pick<SheetProps, "node" | "all" | "onTurn">} props
 */
function BuildsOn({ node, all, onTurn }) {
  const before = [...ancestry(all, node.id)].flatMap((id) => all.get(id) ?? []);
  const open = before.findLast((one) => one.state !== "locked" && !isLearned(one)) ?? all.get(node.parentId ?? "");
  return (
    open && html`<button class="btn go" type="button" onClick=${() => onTurn(open.id)}>${t("next.builds_on")}</button>`
  );
}
