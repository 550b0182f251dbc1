// @ts-check
/** Reminder of what waits below and is not in sight, an open checkpoint or the way on after a passage: the way there. */

import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { OpenLesson } from "../../state/lesson.js" */

/** Height of the docked bar, and further than any page is long. */
const BAR_PX = 60;
const FAR_PX = 1_000_000;
/** Share of an element in sight from which on all of it is: lines stand at fractions of a pixel. */
const WHOLE = 0.98;
/** Share of a screen by which one reads on, so that its last lines stay in sight. */
const SCREEN_SHARE = 0.75;

const QUESTION = /** @type {const} */ ({ told: "tu.open", go: "tu.to_question" });
const ANSWER = /** @type {const} */ ({ told: "tu.open", go: "tu.to_answer" });
const COMPARISON = /** @type {const} */ ({ told: "cm.open", go: "cm.to" });

/** Bring the open question into view, whole and with what comes below it; a long one from its first words. */
export function showQuestion() {
  const card = document.querySelector("#dock > .cp");
  card?.scrollIntoView({ block: card.getBoundingClientRect().height > innerHeight ? "start" : "end" });
}

/**
 * Whether an element ends below what is in sight.
 * @param {string} selector
 * @param {number} coveredPx what stands over the lower edge
 * @param {string} form another one is looked for when this changes
 */
function useIsBelow(selector, coveredPx, form) {
  const [isBelow, setIsBelow] = useState(false);
  useEffect(() => {
    const element = document.querySelector(selector);
    const watch = new IntersectionObserver(([seen]) => setIsBelow(seen.intersectionRatio < WHOLE), {
      rootMargin: `${FAR_PX}px 0px -${coveredPx}px`, // what is scrolled up is not below
      threshold: [0, WHOLE],
    });
    if (element) watch.observe(element);
    return () => {
      watch.disconnect();
      setIsBelow(false);
    };
  }, [form]);
  return isBelow;
}

/** @param {{ lesson: OpenLesson }} props */
export function CheckpointReminder({ lesson }) {
  const state = lesson.state.value;
  const question = state?.question;
  const form = question ? `${question.id} ${question.compare !== null}` : `read ${state?.chunk}`;
  const isQuestionBelow = useIsBelow("#asked", BAR_PX, form);
  const isButtonBelow = useIsBelow("#dock :is(.cp-go, .cmp-point, .self)", 0, form);
  const isBelow = isQuestionBelow || isButtonBelow;
  if (!question) return html`<${ReadDown} isBelow=${isBelow} />`;
  if (!isBelow || lesson.working.value) return null; // nothing can be answered or compared during a turn
  const comparing = question.compare !== null;
  const words = comparing ? COMPARISON : isQuestionBelow ? QUESTION : ANSWER;
  const go = () => {
    if (comparing) showVerdicts();
    else if (isQuestionBelow) showQuestion();
    else document.querySelector("#dock > .cp")?.scrollIntoView({ block: "end" });
    if (!comparing)
      (document.getElementById("answer") ?? document.getElementById("asked"))?.focus({ preventScroll: true });
  };
  return html`<div class=${isQuestionBelow ? "open-below" : "open-below to-button"}>
    <${Mark} state="progress" mastery=${state?.mastery ?? 0} />
    <b>${t(words.told)}</b>
    <button class="btn go sm" type="button" onClick=${go}>${t(words.go)}</button>
  </div>`;
}

/** Show the verdicts that are asked for now, with as much of the comparison above them as there is room for. */
function showVerdicts() {
  const point = document.querySelector("#dock :is(.now, .self, .cmp-foot)");
  point?.scrollIntoView({ block: "end" });
  /** @type {HTMLElement | null | undefined} */ (point?.querySelector("input, button"))?.focus({ preventScroll: true });
}

/**
 * The way down a long passage, a screen at a time, until its end and the step's own button are in sight.
 * @param {{ isBelow: boolean }} props
 */
function ReadDown({ isBelow }) {
  const isPressed = useRef(false);
  useEffect(() => {
    if (!isBelow && isPressed.current) {
      isPressed.current = false;
      /** @type {HTMLElement | null} */ (document.querySelector("#dock .cp-go button"))?.focus({ preventScroll: true });
    }
  }, [isBelow]);
  if (!isBelow) return null;
  const down = () => {
    isPressed.current = true;
    scrollBy({ top: innerHeight * SCREEN_SHARE });
  };
  return html`<div class="open-below down">
    <button class="btn go" type="button" onClick=${down}>${t("rd.down")}<${Icon} name="down" small /></button>
  </div>`;
}
