// @ts-check
/** A lesson: the tutor's words as they come, the open checkpoint, questions on the side, what has been reached. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { draftOf, keepDraft } from "../drafts.js";
import { inOrder, partsOf } from "../graph.js";
import { html } from "../html.js";
import { t as common } from "../i18n.js";
import { t } from "../i18n/learn.js";
import { openLesson } from "../lesson.js";
import { Markdown } from "../markdown.js";
import { CodeBlock } from "../rich/code.js";
import { Diagram, Drawn } from "../rich/diagram.js";
import { home, learnUrl, pathUrl } from "../router.js";
import { asideOf } from "../talk.js";
import { usePath } from "./around.js";
import { CheckpointForm, enters } from "./checkpoint.js";
import { GradeView } from "./grade.js";
import { Icon } from "./icons.js";
import { Blank, Fault, Shell } from "./shell.js";

/** @import { OpenLesson } from "../lesson.js" */
/** @import { Card } from "../types.d.ts" */
/** @import { Turn } from "../talk.js" */

const GOAL = 70;

/** @param {{ branchId: string, conceptId: string, nodeId: string }} props */
export function LessonScreen({ branchId, conceptId, nodeId }) {
  const lesson = useMemo(() => openLesson(nodeId), [nodeId]);
  useEffect(() => lesson.close, [lesson]);
  const around = usePath(branchId, lesson.ended.value).value;
  const node = around?.all.get(nodeId);
  const concept = around?.all.get(conceptId);
  useEffect(() => { if (node) document.title = t("tu.page", { title: node.title }); }, [node?.title]);
  const crumbs = [{ title: common("nav.paths"), url: home() }, { title: around?.title ?? "", url: pathUrl(branchId) }, { title: concept?.title ?? "", url: pathUrl(branchId, conceptId) }, { title: node?.title ?? t("tu.crumb"), url: null }];
  const problem = /** @type {any} */ (lesson.problem.value);
  if (problem?.status === 404) return html`<${Shell}><${Blank} title=${common("error.gone")} text=${common("not_found.text")}><p><a href=${home()}>${common("not_found.home")}</a></p><//><//>`;
  return html`<${Shell} crumbs=${crumbs}>
    ${problem ? html`<div class="wrap blank"><${Fault} message=${problem.message} onRetry=${lesson.again} /></div>`
      : html`<div class="tu">
        <${Rail} lesson=${lesson} concept=${concept?.title ?? ""} title=${node?.title ?? ""} />
        <${Talk} lesson=${lesson} title=${node?.title ?? ""} />
        <${Aside} lesson=${lesson} />
        <div class="dock">${lesson.ended.value ? html`<${Finished} lesson=${lesson} branchId=${branchId} conceptId=${conceptId} nodeId=${nodeId} around=${around} />` : html`<${CheckpointForm} lesson=${lesson} />`}</div>
      </div>`}
  <//>`;
}

/** The plan and how far it has come. @param {{ lesson: OpenLesson, concept: string, title: string }} props */
function Rail({ lesson, concept, title }) {
  const state = lesson.state.value;
  const now = Math.round((state?.mastery ?? 0) * 100);
  return html`<aside class="rail" aria-label=${t("tu.plan")}>
    <p class="t13 dimmer rail-of">${concept}</p><p class="rail-title">${title}</p>
    ${state && state.plan.length > 0 && !lesson.ended.value && html`<p class="t13 rail-now">${t("tu.step", { at: state.chunk, n: state.plan.length, can: state.plan[state.chunk - 1] })}</p>`}
    ${state && state.plan.length > 0 && html`<ol class="chunks">${state.plan.map((line, i) => html`<li key=${i} class=${i + 1 < state.chunk || lesson.ended.value ? "done" : i + 1 === state.chunk ? "now" : ""} aria-current=${i + 1 === state.chunk && !lesson.ended.value ? "step" : undefined}>${line}</li>`)}</ol>`}
    ${state && html`<div class="mst"><p class="mst-line"><b>${t("tu.mastery")}</b><span>${state.completed ? t("tu.done") : t("tu.goal", { now, goal: GOAL })}</span></p>
      <div class="meter" role="meter" aria-label=${t("tu.mastery")} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${now}><i style=${{ inlineSize: `${now}%` }}></i><s style=${{ insetInlineStart: `${GOAL}%` }}></s></div>
      <p class="t13 dim">${t("tu.evidence", { n: state.evidence })}</p></div>`}
  </aside>`;
}

/** @param {{ lesson: OpenLesson, title: string }} props */
function Talk({ lesson, title }) {
  const turns = lesson.turns.value.filter((turn) => !turn.aside);
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  const sending = lesson.sending.value;
  const live = lesson.sending.value?.aside ? "" : lesson.live.value;
  useEffect(() => { if (turns.length > 1 || live) end.current?.scrollIntoView({ block: "end" }); }, [turns.length, live.length > 0]);
  const open = lesson.ended.value ? null : lesson.state.value?.question?.prompt;
  /** A question stands once, below the last words before it was answered for good; the open one stands in the dock. */
  const isToldHere = (/** @type {Turn} */ turn, /** @type {number} */ i) => turn.question !== null && !(open && turn.question.startsWith(open))
    && turns.findLastIndex((other) => other.question === turn.question) === i;
  return html`<section class="talk" aria-label=${t("tu.crumb")}><h1 class="t24">${title}</h1>
    ${turns.map((turn, i) => html`<${TurnView} key=${turn.id} turn=${turn} withQuestion=${isToldHere(turn, i)} />`)}
    ${sending && !sending.aside && sending.content && html`<${Mine} text=${sending.text} drawing=${sending.drawing !== null} />`}
    ${live && html`<div class="msg" aria-live="off"><${Markdown} text=${live} /><span class="caret"></span></div>`}
    ${lesson.working.value && !live && !sending?.aside && html`<p class="growing" role="status" key="growing"><span class="pulse"></span><span>${t(!turns.length ? "tu.starting" : sending ? "tu.marking" : "tu.thinking")}</span></p>`}
    ${!lesson.working.value && lesson.state.value?.graded?.criteria.length ? html`<${GradeView} grade=${lesson.state.value.graded} />` : ""}
    ${(lesson.state.value?.cards ?? []).map((card) => html`<${CardView} key=${card.id} card=${card} />`)}
    <p class="vh" role="status" key="told">${lesson.answered.value && !lesson.working.value ? t("tu.announce") : ""}</p>
    <div class="talk-end" ref=${end}></div>
  </section>`;
}

/** @param {{ turn: Turn, withQuestion: boolean }} props */
const TurnView = ({ turn, withQuestion }) => turn.who === "learner"
  ? html`<${Mine} text=${turn.text} mode=${turn.mode} drawing=${turn.drawn} />`
  : html`<div class="msg"><${Markdown} text=${turn.text} />${withQuestion && html`<div class="asked"><${Markdown} text=${turn.question ?? ""} /></div>`}</div>`;

/** @param {{ text: string, mode?: string | null, drawing?: boolean }} props */
const Mine = ({ text, mode, drawing }) => html`<div class="me"><small>${t(mode ? "tu.you_answer" : "tu.you")}</small>
  ${mode === "code" ? html`<${CodeBlock} text=${text} />` : html`<p>${text}</p>`}${drawing && html`<p class="t13 dim">${t("tu.drawing")}</p>`}</div>`;

const CARD_WORDS = /** @type {const} */ ({ example: "tu.card_example", exercise: "tu.card_exercise", diagram: "tu.card_diagram", care: "tu.card_care" });

/** @param {{ card: Card }} props */
const CardView = ({ card }) => html`<figure class=${`card ${card.kind}`}><figcaption><small>${t(CARD_WORDS[card.kind])}</small><b>${card.title}</b></figcaption>
  ${card.format === "markdown" ? html`<${Markdown} text=${card.body} />` : html`<${card.format === "svg" ? Drawn : Diagram} source=${card.body} title=${card.title} />`}</figure>`;

/** Questions on the side: the checkpoint stays where it is. @param {{ lesson: OpenLesson }} props */
function Aside({ lesson }) {
  const words = useSignal("");
  const draft = lesson.session.value && `${lesson.session.value.id}.aside`;
  useEffect(() => { if (draft) words.value = draftOf(draft); }, [draft]);
  const turns = lesson.turns.value.filter((turn) => turn.aside);
  const sending = lesson.sending.value;
  const asking = sending?.aside ?? false;
  const off = lesson.working.value || lesson.ended.value;
  const write = (/** @type {string} */ text) => { words.value = text; if (draft) keepDraft(draft, text); };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = words.value.trim();
    if (!text || off) return;
    if (await lesson.send({ content: asideOf(text), text, aside: true, drawing: null }) && words.peek().trim() === text) write(""); // what was written meanwhile stays
  };
  return html`<aside class="notes" aria-label=${t("tu.aside_label")} id="aside"><h2 class="t13"><${Icon} name="info" small />${t("tu.aside")}</h2>
    ${turns.map((turn) => (turn.who === "learner" ? html`<p class="you" key=${turn.id}>${turn.text}</p>` : html`<div class="say dim" key=${turn.id}><${Markdown} text=${turn.text} /></div>`))}
    ${asking && html`<p class="you">${sending?.text}</p>${lesson.live.value ? html`<div class="say dim"><${Markdown} text=${lesson.live.value} /><span class="caret"></span></div>` : html`<p class="growing" role="status"><span class="pulse"></span><span>${t("tu.thinking")}</span></p>`}`}
    ${!lesson.ended.value && html`<form onSubmit=${submit}><label class="vh" for="side">${t("tu.aside_label")}</label>
      <textarea class="field" id="side" rows="2" maxlength="2000" placeholder=${t("tu.aside_text")} value=${words.value} onInput=${(/** @type {any} */ event) => write(event.target.value)} onKeyDown=${enters(submit)}></textarea>
      <button class="btn sm" type="submit" disabled=${off || !words.value.trim()}>${t("tu.aside_send")}</button></form>`}
  </aside>`;
}

/** @param {{ lesson: OpenLesson, branchId: string, conceptId: string, nodeId: string, around: import("./around.js").Around | null }} props */
function Finished({ lesson, branchId, conceptId, nodeId, around }) {
  const parts = around ? inOrder(partsOf(around.all, conceptId)) : [];
  const next = parts.find((part) => part.id !== nodeId && (part.state === "ready" || part.state === "progress"));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => { if (lesson.spoken.value && document.activeElement === document.body) box.current?.focus({ preventScroll: true }); }, []);
  return html`<section class="cp" aria-label=${t("tu.finished")} tabindex="-1" ref=${box}><p class="cp-top"><${Icon} name="check" /><b>${t("tu.finished")}</b></p>
    <div class="row cp-foot">${next && html`<a class="btn go" href=${learnUrl(branchId, conceptId, next.id)}>${t("tu.next_go", { title: next.title })}</a>`}
    <a class="btn" href=${pathUrl(branchId, conceptId)}>${t("tu.to_path")}</a></div></section>`;
}
