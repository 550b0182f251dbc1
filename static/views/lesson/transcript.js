// @ts-check
/** Transcript of a lesson, with the streaming reply and the cards. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { drawingUrl } from "../../net/teaching_api.js";
import { isReadAlone, openPassage } from "../../state/reading.js";
import { markSpans, turnsBeside } from "../../state/transcript.js";
import { Drawn } from "../common/drawn.js";
import { Verdict } from "../common/grade.js";
import { ReadAloud } from "../common/voice.js";
import { Waiting } from "../common/waiting.js";
import { CodeBlock } from "../rich/code.js";
import { Diagram, DiagramImage } from "../rich/diagram.js";
import { Markdown } from "../rich/markdown.js";
import { showQuestion } from "./checkpoint_reminder.js";
import { CitationChips } from "./citations.js";
import { ReadingPassage } from "./reading.js";
import { stayInView } from "./stay_in_view.js";

/** @import { OpenLesson } from "../../state/lesson.js" */
/** @import { Card, Citation } from "../../types.d.ts" */
/** @import { Turn } from "../../state/transcript.js" */

/** Where the checkpoint follows the text, one reads on from one's own words; else it is docked below the newest. */
const narrow = matchMedia("(max-width: 1100px)");

/**
 * @param {{ lesson: OpenLesson, title: string, waiting: Turn | null, onCite: (citation: Citation) => void }} props
 *   `waiting`: the turn whose passage and question are not shown yet
 */
export function Transcript({ lesson, title, waiting, onCite }) {
  const question = lesson.state.value?.question ?? null;
  const said = lesson.turns.value.filter((turn) => !turn.aside);
  const turns = turnsBeside(said, question);
  const talk = useRef(/** @type {HTMLElement | null} */ (null));
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  /** The number of turns when the tutor was last silent. */
  const settled = useRef(0);
  const {
    sending: { value: sending },
    unheard: { value: unheard },
    working: { value: working },
    speaking: { value: speaking },
  } = lesson;
  useEffect(() => {
    const shown = waiting ? turns.length - 0.5 : turns.length;
    if (lesson.ended.value || (working ? !speaking : shown === settled.current)) return;
    if (!working) settled.current = shown;
    if (turns.length < 2 && !speaking) return;
    if (!working && turns.at(-1)?.reading && !waiting) {
      talk.current?.querySelector("section.reading")?.scrollIntoView({ block: "start" });
      return;
    }
    const mine = narrow.matches ? [...(talk.current?.querySelectorAll(".me") ?? [])].at(-1) : undefined;
    if (mine) mine.scrollIntoView({ block: "start" });
    if (!mine) end.current?.scrollIntoView({ block: "end" });
  }, [turns.length, speaking, working, waiting === null]);
  const isOpened = turns.length > 1 && narrow.matches;
  useEffect(() => (isOpened && !working ? stayInView(showCutQuestion) : undefined), [isOpened]);
  useRoomForDock();
  const open = lesson.ended.value ? null : question?.prompt;
  const last = useMemo(() => lastPlaces(turns), [lesson.turns.value, question]);
  /** A question is shown once, in the last turn that asks it; the open one is in the dock. */
  const isShownHere = (/** @type {Turn} */ turn, /** @type {number} */ i) =>
    turn.question !== null && !(open && turn.question.startsWith(open)) && last.get(turn.question) === i;
  const comparing = question?.compare ?? null;
  const read = openPassage(turns, waiting && (turns.find((turn) => turn.id === waiting.id) ?? null));
  const isReading = read !== null;
  const passageOf = (/** @type {Turn} */ turn) => {
    if (turn.id === waiting?.id) return "waits";
    return turn === read ? "open" : "folded";
  };
  const newest = turns.findLast((turn) => turn.attempt);
  const lastSaid = turns.findLast((turn) => turn.who === "tutor");
  const thinking = sending ? "tu.marking" : "tu.thinking";
  const waitingFor = turns.length ? thinking : "tu.starting";
  return html`<section class="talk" aria-label=${t("tu.crumb")} ref=${talk}>
    <h1 class="t24">${title}</h1>
    ${turns.map(
      (turn, i) =>
        !(comparing && turn.who === "tutor" && i === turns.length - 1) && // the dock says the same
        !(isReading && turn.who === "tutor" && turns[i - 1]?.attempt?.state === "self_marked") && // the dock said it
        !(turn.who === "learner" && isReadAlone(turns[i - 1])) && // a button was pushed
        html`<${TurnView}
          key=${turn.id}
          turn=${turn}
          isNewest=${turn === newest}
          isLastSaid=${turn === lastSaid}
          isCompared=${turn === newest && comparing !== null}
          withQuestion=${isShownHere(turn, i)}
          withPoints=${!isReading}
          withWords=${i > 0 || !turn.reading}
          passage=${passageOf(turn)}
          onCite=${onCite}
        />`,
    )}
    ${
      unheard?.text &&
      !unheard.aside &&
      unheard.content &&
      html`<${Mine} text=${unheard.text} drawing=${unheard.drawing} />`
    }
    <${LiveVerdict} lesson=${lesson} />
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
    ${(lesson.state.value?.cards ?? []).map((card) =>
      card.kind === "example"
        ? html`<${ExampleCard} key=${card.id} card=${card} turns=${turns} working=${working} />`
        : html`<${CardView} key=${card.id} card=${card} />`,
    )}
    <p class="vh" role="status" key="told">${lesson.answered.value && !working ? t("tu.announce") : ""}</p>
    <div class="talk-end" ref=${end}></div>
  </section>`;
}

/** Show the open question, where it is not in sight to its end. */
function showCutQuestion() {
  const asked = document.getElementById("asked")?.getBoundingClientRect();
  const docked = document.querySelector(".cp-go")?.getBoundingClientRect();
  if (asked && asked.bottom > innerHeight - (docked?.height ?? 0)) showQuestion();
}

/** Keep what is scrolled to, by the page or by the focus, above what is docked: the checkpoint, or its buttons. */
function useRoomForDock() {
  useEffect(() => {
    const dock = /** @type {HTMLElement} */ (document.getElementById("dock"));
    const { style } = document.documentElement;
    const watch = new ResizeObserver(() => {
      const parts = [dock, .../** @type {NodeListOf<HTMLElement>} */ (dock.querySelectorAll(".cp-go"))];
      const docked = parts.find((part) => getComputedStyle(part).position === "sticky");
      style.scrollPaddingBlockEnd = docked ? `${docked.offsetHeight}px` : "";
    });
    watch.observe(dock);
    return () => {
      watch.disconnect();
      style.scrollPaddingBlockEnd = "";
    };
  }, []);
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

/** The verdict on the answer that the tutor is about to reply to. @param {{ lesson: OpenLesson }} props */
const LiveVerdict = ({ lesson }) => lesson.graded.value && html`<${Verdict} grade=${lesson.graded.value} />`;

/**
 * A past turn, which is rendered once.
 * @param {{
 *   turn: Turn,
 *   isNewest: boolean,
 *   isLastSaid: boolean,
 *   isCompared: boolean,
 *   withQuestion: boolean,
 *   withPoints: boolean,
 *   withWords: boolean,
 *   passage: "open" | "folded" | "waits",
 *   onCite: (citation: Citation) => void,
 * }} props `isNewest`: whether it is the newest attempt; `isLastSaid`: the tutor's newest words;
 *   `isCompared`: whether its learner is comparing it
 */
const TurnView = ({ turn, isNewest, isLastSaid, isCompared, withQuestion, withPoints, withWords, passage, onCite }) =>
  useMemo(
    () =>
      turn.who === "learner"
        ? html`<${Mine} text=${turn.text} turn=${turn} drawing=${drawingOf(turn)} />
            ${
              turn.attempt &&
              !isCompared &&
              html`<${Verdict} grade=${turn.attempt} attempt=${isNewest && turn} withPoints=${withPoints} />`
            }`
        : html`<div class="msg">
          ${withWords && html`<${Markdown} text=${turn.text} />`}
          ${
            turn.reading
              ? passage !== "waits" &&
                html`<${ReadingPassage}
                  reading=${turn.reading}
                  isOpen=${passage === "open"}
                  isAlone=${isReadAlone(turn)}
                  onCite=${onCite}
                />`
              : html`<${CitationChips} citations=${turn.citations} onCite=${onCite} />`
          }
          ${withQuestion && html`<div class="asked"><${Markdown} text=${turn.question ?? ""} /></div>`}
          ${(isLastSaid || (turn.reading && passage === "open")) && html`<${ReadAloud} of=".msg" />`}
        </div>`,
    [
      turn.id,
      turn.text,
      turn.attempt && JSON.stringify(turn.attempt),
      turn.citations.length,
      turn.reading?.settledBy.length,
      passage,
      isNewest,
      isLastSaid,
      isCompared,
      withQuestion,
    ],
  );

/** Address of the turn's drawing; null without one. @param {Turn} turn */
const drawingOf = ({ drawn, attempt }) => (drawn && attempt ? drawingUrl(attempt.answerId) : null);

/** @param {{ text: string, turn?: Turn, drawing: string | null }} props */
const Mine = ({ text, turn, drawing }) => html`<div class="me">
  <small>${messageLabel(turn)}</small>
  ${turn?.mode === "code" ? html`<${CodeBlock} text=${text} />` : html`<p>${withEvidence(text, turn)}</p>`}
  ${drawing && html`<${Drawn} src=${drawing} />`}
  ${turn?.drawn && !drawing && html`<p class="t13 dim">${t("tu.drawing")}</p>`}
</div>`;

/** @param {Turn} [turn] */
function messageLabel(turn) {
  if (!turn?.attempt) return t(turn?.mode ? "tu.you_answer" : "tu.you");
  if (turn.isRepeat) return t("tu.you_repeat");
  if (turn.attempt.gap) return t("tu.you_gap");
  const n = turn.attempt.helpLevel;
  if (n) return t(turn.number === 1 ? "tu.you_helped" : turn.number === 2 ? "tu.you_second" : "tu.you_again", { n });
  return t(turn.number === 1 ? "tu.you_first" : "tu.you_alone");
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

/**
 * A worked example: open in the turn that it comes with, afterwards folded, so that it does not stand between a reply
 * and the question.
 * @param {{ card: Card, turns: Turn[], working: boolean }} props `working`: while the tutor has not ended its turn
 */
function ExampleCard({ card, turns, working }) {
  const before = useRef(working ? turns.length : -Infinity); // one that was there before is not new
  const since = turns.length - before.current;
  const said = turns.findLast((turn) => turn.who === "tutor")?.text ?? card.title;
  const isNew = working ? since === 0 : (since > 0 && since <= 2) || said.includes(card.title);
  return html`<details class="card example" open=${isNew}>
    <summary><small>${t(CARD_WORDS.example)}</small><b>${card.title}</b></summary>
    <${Markdown} text=${card.body} />
  </details>`;
}

/** @param {{ card: Card }} props */
const CardView = ({ card }) => html`<figure class=${`card ${card.kind}`}>
  <figcaption><small>${t(CARD_WORDS[card.kind])}</small><b>${card.title}</b></figcaption>
  ${
    card.format === "markdown"
      ? html`<${Markdown} text=${card.body} />`
      : html`<${card.format === "svg" ? DiagramImage : Diagram} source=${card.body} title=${card.title} />`
  }
</figure>`;
