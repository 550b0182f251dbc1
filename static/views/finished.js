// @ts-check
/** A lesson that is over: what is known now, and what comes next. */

import { useEffect, useRef } from "preact/hooks";
import { inOrder, partsOf } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import { diagnosticUrl, learnUrl, pathUrl } from "../router.js";
import { Icon } from "./icons.js";
import { Mark } from "./marks.js";

/** @import { OpenLesson } from "../lesson.js" */
/** @import { Around } from "./around.js" */
/** @import { Seen } from "../graph.js" */

const isOpen = (/** @type {Seen} */ node) => node.state === "ready" || node.state === "progress";

/** @param {{ lesson: OpenLesson, branchId: string, conceptId: string, nodeId: string, around: Around | null }} props */
export function Finished({ lesson, branchId, conceptId, nodeId, around }) {
  const next = around && inOrder(partsOf(around.all, conceptId)).find((part) => part.id !== nodeId && isOpen(part));
  const concept = around?.all.get(conceptId);
  const opened = next || !concept ? null : concept.opens.flatMap((id) => around?.all.get(id) ?? []).find(isOpen);
  const plan = lesson.state.value?.plan ?? [];
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => { if (lesson.spoken.value && document.activeElement === document.body) box.current?.focus({ preventScroll: true }); }, []);
  return html`<section class="cp over" aria-label=${t("tu.finished")} tabindex="-1" ref=${box}>
    <p class="cp-top"><${Mark} state="mastered" /><b>${t("tu.finished")}</b></p>
    ${plan.length > 0 && html`<p class="t13 dim">${t("tu.can")}</p><ul class="can">${plan.map((line) => html`<li key=${line}><${Icon} name="check" small /><span class="chunk">${line}</span></li>`)}</ul>`}
    ${next && html`<${Next} node=${next} kind="tu.next" />`}
    ${!next && concept?.state === "mastered" && html`<p class="t13 dim">${t("tu.concept_done", { title: concept.title })}</p>`}
    ${opened && html`<${Next} node=${opened} kind="tu.next_concept" />`}
    <div class="row cp-foot">${next && html`<a class="btn go" href=${learnUrl(branchId, conceptId, next.id)}>${t("tu.next_go", { title: next.title })}</a>`}
    ${opened && html`<a class="btn go" href=${diagnosticUrl(branchId, opened.id)}>${t("tu.next_go", { title: opened.title })}</a>`}
    <a class="btn" href=${pathUrl(branchId, conceptId)}>${t("tu.to_path")}</a></div></section>`;
}

/** @param {{ node: Seen, kind: "tu.next" | "tu.next_concept" }} props */
const Next = ({ node, kind }) => html`<div class="next"><p class="t13 dim">${t(kind)}</p><p class="next-title"><${Mark} state=${node.state} mastery=${node.mastery} /><span>${node.title}</span></p>${node.desc && html`<p class="say dim">${node.desc}</p>`}</div>`;
