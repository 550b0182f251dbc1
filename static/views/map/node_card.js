// @ts-check
/** Card of a node: what it is for, why it is here, and the way into it. Stands beside the node, inside the view. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/about.js";
import { LEFT, rightExtent, yOf } from "../../layout/measures.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import { pathUrl } from "../../state/router.js";
import { lazy } from "../common/lazy.js";
import { WhyHere } from "../common/why_here.js";
import { KnowThis } from "../placement/know_this.js";

/** @import { GraphNode } from "../../state/graph.js" */

const step = lazy(async () => (await import("./node_action.js")).NodeStep);
const lockedLine = lazy(async () => (await import("./node_action.js")).LockedLine);

const WIDTH = 300;
const GAP = 12;
const EDGE = 16;
const MARK = 40;

/** @param {number} value @param {number} most */
const within = (value, most) => Math.max(EDGE, Math.min(value, most - EDGE));

/**
 * @param {{
 *   node: GraphNode,
 *   status: string,
 *   all: Map<string, GraphNode>,
 *   place: import("../../types.d.ts").Place,
 *   cam: import("./camera.js").Camera,
 *   branchId: string,
 *   isOpened: boolean,
 *   onLeave: () => void,
 *   onClose: (isAway: boolean) => void,
 * }} props `isOpened`: by a click or a key, so that it takes the focus
 */
export function NodeCard({ node, status, all, place, cam, branchId, isOpened, onLeave, onClose }) {
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const [height, setHeight] = useState(0);
  const isLocked = node.state === "locked";
  useLayoutEffect(() => {
    const measure = () => setHeight(card.current?.offsetHeight ?? 0);
    const watch = new ResizeObserver(measure); // its reason opens, and fonts come
    watch.observe(/** @type {HTMLElement} */ (card.current));
    measure();
    return () => watch.disconnect();
  }, [node.id]);
  useEffect(() => {
    if (!isOpened) return;
    /** @type {HTMLElement | null | undefined} */ (card.current?.querySelector(".row a"))?.focus({
      preventScroll: true,
    });
    const away = (/** @type {Event} */ event) => {
      const at = /** @type {Element} */ (event.target);
      if (!card.current?.contains(at) && !at.closest(".hit")) onClose(true);
    };
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [node.id, isOpened]);
  const escape = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onClose(false);
  };
  return html`<section
    class="pop node-card"
    id="map-note"
    aria-label=${node.title}
    ref=${card}
    style=${{ ...besideNode(node, place, cam, height), width: `${WIDTH}px` }}
    onMouseLeave=${onLeave}
    onKeyDown=${escape}
  >
    <h2>${node.title}</h2>
    ${isLocked && html`<${lockedLine.View} node=${node} all=${all} />`}
    <p class="t13 dim">${status}</p>
    ${node.desc && html`<p class="say">${node.desc}</p>`}
    <div class="card-step">${!isLocked && html`<${step.View} key=${node.id} node=${node} branchId=${branchId} />`}</div>
    <p class="row">
      ${node.type === "concept" && html`<a class="btn flat sm" href=${pathUrl(branchId, node.id)}>${t("map.open")}</a>`}
      ${!isLearned(node) && html`<${KnowThis} branchId=${branchId} nodeId=${node.id} />`}
    </p>
    <${WhyHere} reason=${node.reason} />
  </section>`;
}

/**
 * Right of the node's label, else left of its mark, else below or above both.
 * @param {GraphNode} node
 * @param {import("../../types.d.ts").Place} place
 * @param {import("./camera.js").Camera} cam
 * @param {number} tall
 */
function besideNode(node, place, cam, tall) {
  const { x, y, k } = cam.view.value;
  const { width, height } = cam.size.value;
  const middle = yOf(place.layer) * k + y;
  const right = (place.x + rightExtent(node.title)) * k + x + GAP;
  const left = (place.x - LEFT) * k + x - GAP - WIDTH;
  const top = `${within(middle - MARK, height - tall)}px`;
  if (right + WIDTH <= width - EDGE) return { left: `${right}px`, top };
  if (left >= EDGE) return { left: `${left}px`, top };
  const isBelow = middle + MARK * k + tall <= height - EDGE;
  return {
    left: `${within(place.x * k + x - LEFT, width - WIDTH)}px`,
    top: `${within(isBelow ? middle + MARK * k : middle - MARK * k - tall, height - tall)}px`,
  };
}
