// @ts-check
/** Reminder of what waits below and is not in sight, an open checkpoint or the way on after a passage: the way there. */

import { useEffect, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { OpenLesson } from "../../state/lesson.js" */

/** Height of the docked bar, and further than any page is long. */
const BAR_PX = 60;
const FAR_PX = 1_000_000;

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
    const watch = new IntersectionObserver(([seen]) => setIsBelow(seen.intersectionRatio < 1), {
      rootMargin: `${FAR_PX}px 0px -${coveredPx}px`, // what is scrolled up is not below
      threshold: [0, 1],
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
  const isButtonBelow = useIsBelow("#dock .cp-go", 0, form);
  const go = () => {
    if (isQuestionBelow) showQuestion();
    else document.querySelector("#dock > .cp")?.scrollIntoView({ block: "end" });
    (document.getElementById("answer") ?? document.getElementById("asked"))?.focus({ preventScroll: true });
  };
  if (!isQuestionBelow && !isButtonBelow) return null;
  return html`<div class="open-below">
    <${Mark} state="progress" mastery=${state?.mastery ?? 0} />
    <b>${t(question ? "tu.open" : "rd.read_on")}</b>
    <button class="btn go sm" type="button" onClick=${go}>
      ${question ? t(isQuestionBelow ? "tu.to_question" : "tu.to_answer") : t("rd.to_end")}
    </button>
  </div>`;
}
