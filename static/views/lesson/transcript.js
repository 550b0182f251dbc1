// @ts-check
/** Transcript of a lesson, with the streaming reply and the cards. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { markSpans } from "../../state/transcript.js";
import { GradeView } from "../common/grade.js";
import { CodeBlock } from "../rich/code.js";
import { Diagram, DiagramImage } from "../rich/diagram.js";
import { Markdown } from "../rich/markdown.js";
import { CitationChips } from "./citations.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Card, Citation } from "../../types.d.ts" */
/** @import { Turn } from "../../state/transcript.js" */

const SLOW_MS = 10_000;

/** @param {{ lesson: OpenLesson, title: string, onCite: (citation: Citation) => void }} props */
export function Transcript({ lesson, title, onCite }) {
  const turns = lesson.turns.value.filter((turn) => !turn.aside);
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  const {
    sending: { value: sending },
    unheard: { value: unheard },
    working: { value: working },
    speaking: { value: speaking },
  } = lesson;
  useEffect(() => {
    if (end.current && (turns.length > 1 || speaking)) scrollToEnd(end.current);
  }, [turns.length, speaking]);
  const open = lesson.ended.value ? null : lesson.state.value?.question?.prompt;
  const last = useMemo(() => lastPlaces(turns), [lesson.turns.value]);
  /** A question is shown once, in the last turn that asks it; the open one is in the dock. */
  const isShownHere = (/** @type {Turn} */ turn, /** @type {number} */ i) =>
    turn.question !== null && !(open && turn.question.startsWith(open)) && last.get(turn.question) === i;
  const graded = lesson.state.value?.graded;
  const thinking = sending ? "tu.marking" : "tu.thinking";
  const waitingFor = turns.length ? thinking : "tu.starting";
  return html`<section class="talk" aria-label=${t("tu.crumb")}>
    <h1 class="t24">${title}</h1>
    ${turns.map(
      (turn, i) =>
        html`<${TurnView} key=${turn.id} turn=${turn} withQuestion=${isShownHere(turn, i)} onCite=${onCite} />`,
    )}
    ${
      unheard &&
      !unheard.aside &&
      unheard.content &&
      html`<${Mine} text=${unheard.text} drawing=${unheard.drawing !== null} />`
    }
    <${Live} lesson=${lesson} />
    ${!lesson.state.value && !working && html`<${Waiting} key="loading" words=${t("tu.loading")} />`}
    ${
      working &&
      !speaking &&
      !sending?.aside &&
      html`<${Waiting}
        key="growing"
        words=${t(waitingFor)}
      />`
    }
    ${
      !working && graded?.criteria.length
        ? html`<${GradeView} grade=${graded} words=${turns.findLast((turn) => turn.attempt)?.text} />`
        : ""
    }
    ${(lesson.state.value?.cards ?? []).map((card) => html`<${CardView} key=${card.id} card=${card} />`)}
    <p class="vh" role="status" key="told">${lesson.answered.value && !working ? t("tu.announce") : ""}</p>
    <div class="talk-end" ref=${end}></div>
  </section>`;
}

/** Scroll the newest text above the docked checkpoint. @param {HTMLElement} end */
function scrollToEnd(end) {
  const dock = document.getElementById("dock");
  const isOver = dock !== null && getComputedStyle(dock).position === "sticky";
  end.style.scrollMarginBlockEnd = isOver ? `${dock.offsetHeight}px` : "";
  end.scrollIntoView({ block: "end" });
}

/** Index of the last turn that asks each question. @param {Turn[]} turns @returns {Map<string | null, number>} */
const lastPlaces = (turns) => new Map(turns.map((turn, i) => [turn.question, i]));

/** The streaming reply: the only part that redraws with each word. @param {{ lesson: OpenLesson }} props */
function Live({ lesson }) {
  if (!lesson.speaking.value) return null;
  return html`<div class="msg" aria-live="off">
    <${Markdown} text=${lesson.live.value} />
    <span class="caret"></span>
  </div>`;
}

/** Waiting notice without a spinner; says so when it takes long. @param {{ words: string }} props */
export function Waiting({ words }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return html`<p class="growing" role="status">
    <span class="pulse"></span>
    <span>${slow ? t("tu.slow", { words }) : words}</span>
  </p>`;
}

/**
 * A past turn, which is rendered once.
 * @param {{ turn: Turn, withQuestion: boolean, onCite: (citation: Citation) => void }} props
 */
const TurnView = ({ turn, withQuestion, onCite }) =>
  useMemo(
    () =>
      turn.who === "learner"
        ? html`<${Mine} text=${turn.text} turn=${turn} drawing=${turn.drawn} />`
        : html`<div class="msg">
          <${Markdown} text=${turn.text} />
          <${CitationChips} citations=${turn.citations} onCite=${onCite} />
          ${withQuestion && html`<div class="asked"><${Markdown} text=${turn.question ?? ""} /></div>`}
        </div>`,
    [turn.id, turn.attempt?.correct, turn.attempt?.criteria.length, turn.citations.length, withQuestion],
  );

/** @param {{ text: string, turn?: Turn, drawing: boolean }} props */
const Mine = ({ text, turn, drawing }) => html`<div class="me">
  <small>${t(messageLabel(turn))}</small>
  ${turn?.mode === "code" ? html`<${CodeBlock} text=${text} />` : html`<p>${withEvidence(text, turn)}</p>`}
  ${drawing && html`<p class="t13 dim">${t("tu.drawing")}</p>`}
</div>`;

/** @param {Turn} [turn] */
function messageLabel(turn) {
  if (!turn?.attempt) return turn?.mode ? "tu.you_answer" : "tu.you";
  if (turn.attempt.helpLevel) return "tu.you_helped";
  return turn.first ? "tu.you_first" : "tu.you_alone";
}

/** The learner's message, with graded spans underlined. @param {string} text @param {Turn} [turn] */
const withEvidence = (text, turn) =>
  markSpans(text, turn?.attempt?.criteria.map((one) => one.span) ?? []).map(({ text: words, marked }) =>
    marked ? html`<mark>${words}</mark>` : words,
  );

const CARD_WORDS = /** @type {const} */ ({
  example: "tu.card_example",
  exercise: "tu.card_exercise",
  diagram: "tu.card_diagram",
  care: "tu.card_care",
});

/** @param {{ card: Card }} props */
const CardView = ({ card }) => html`<figure class=${`card ${card.kind}`}>
  <figcaption><small>${t(CARD_WORDS[card.kind])}</small><b>${card.title}</b></figcaption>
  ${
    card.format === "markdown"
      ? html`<${Markdown} text=${card.body} />`
      : html`<${card.format === "svg" ? DiagramImage : Diagram} source=${card.body} title=${card.title} />`
  }
</figure>`;
