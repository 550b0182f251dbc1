// @ts-check
/** Reminder of an open checkpoint of which the question, or the button below it, is not in sight: the way down to it. */

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
  const question = lesson.state.value?.question;
  const form = `${question?.id} ${question?.compare !== null}`;
  const isQuestionBelow = useIsBelow("#asked", BAR_PX, form);
  const isButtonBelow = useIsBelow("#dock .cp-go", 0, form);
  const go = () => {
    if (isQuestionBelow) showQuestion();
    else document.querySelector("#dock > .cp")?.scrollIntoView({ block: "end" });
    (document.getElementById("answer") ?? document.getElementById("asked"))?.focus({ preventScroll: true });
  };
  if (!isQuestionBelow && !isButtonBelow) return null;
  return html`<div class="open-below">
    <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} />
    <b>${t("tu.open")}</b>
    <button class="btn go sm" type="button" onClick=${go}>
      ${t(isQuestionBelow ? "tu.to_question" : "tu.to_answer")}
    </button>
  </div>`;
}
