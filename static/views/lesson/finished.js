// @ts-check
/** End of a lesson: what is learned, and what comes next. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { isLearned } from "../../lib/node_status.js";
import { inLearningOrder, partsOf } from "../../state/graph.js";
import { diagnosticUrl, lessonUrl, pathUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { PathContext } from "../common/path_context.js" */
/** @import { GraphNode } from "../../state/graph.js" */

const isLearnable = (/** @type {GraphNode} */ node) => node.state === "ready" || node.state === "progress";

/**
 * @param {{ lesson: OpenLesson, branchId: string, conceptId: string, nodeId: string, around: PathContext | null }}
 *   props
 */
export function Finished({ lesson, branchId, conceptId, nodeId, around }) {
  const parts = around ? inLearningOrder(partsOf(around.all, conceptId)) : [];
  const isRead = lesson.turns.value.some((turn) => turn.reading);
  const goesOn = isRead && !lesson.state.value?.completed; // to read on, nothing must be learned
  const next = goesOn
    ? parts.slice(parts.findIndex((part) => part.id === nodeId) + 1).find((part) => !isLearned(part))
    : parts.find((part) => part.id !== nodeId && isLearnable(part));
  const concept = around?.all.get(conceptId);
  const opened = next || !concept ? null : concept.opens.flatMap((id) => around?.all.get(id) ?? []).find(isLearnable);
  const plan = lesson.state.value?.plan ?? [];
  const state = lesson.state.value;
  const reached = state?.mastered ? "mastered" : state?.completed ? "learned" : "progress";
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (lesson.spoken.value && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, []);
  return html`<section class="cp over" aria-label=${t("tu.finished")} tabindex="-1" ref=${box}>
    <p class="cp-top"><${Mark} state=${reached} /><b>${t("tu.finished")}</b></p>
    ${
      plan.length > 0 &&
      html`
        <p class="t13 dim">${t(isRead ? "rd.read" : "tu.can")}</p>
        <ul class="can">
          ${plan.map(
            (line) => html`<li key=${line}><${Icon} name="check" small /><span class="chunk">${line}</span></li>`,
          )}
        </ul>
      `
    }
    ${next && html`<${Next} node=${next} kind="tu.next" />`}
    ${
      !next &&
      concept &&
      isLearned(concept) &&
      html`<p class="t13 dim">${t("tu.concept_done", { title: concept.title })}</p>`
    }
    ${opened && html`<${Next} node=${opened} kind="tu.next_concept" />`}
    <div class="row cp-foot">
      ${
        next &&
        html`<a class="btn go" href=${lessonUrl(branchId, conceptId, next.id)}>
          ${t("tu.next_go", { title: next.title })}
        </a>`
      }
      ${
        opened &&
        html`<a class="btn go" href=${diagnosticUrl(branchId, opened.id)}>
          ${t("tu.next_go", { title: opened.title })}
        </a>`
      }
      <a class="btn" href=${pathUrl(branchId, conceptId)}>${t("tu.to_path")}</a>
    </div>
  </section>`;
}

/** @param {{ node: GraphNode, kind: "tu.next" | "tu.next_concept" }} props */
const Next = ({ node, kind }) =>
  html`<div class="next">
    <p class="t13 dim">${t(kind)}</p>
    <p class="next-title"><${Mark} state=${node.state} mastery=${node.mastery} /><span>${node.title}</span></p>
    ${node.desc && html`<p class="say dim">${node.desc}</p>`}
  </div>`;
