// @ts-check
/** Reminder of an open checkpoint whose question is not in sight to its end: the way down to it. */

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

/** @param {{ lesson: OpenLesson }} props */
export function CheckpointReminder({ lesson }) {
  const [away, setAway] = useState(false);
  const question = lesson.state.value?.question?.id;
  useEffect(() => {
    const asked = document.getElementById("asked");
    const watch = new IntersectionObserver(([seen]) => setAway(seen.intersectionRatio < 1), {
      rootMargin: `${FAR_PX}px 0px -${BAR_PX}px`, // what is scrolled up is not below
      threshold: [0, 1],
    });
    if (asked) watch.observe(asked);
    return () => watch.disconnect();
  }, [question]);
  const go = () => {
    showQuestion();
    (document.getElementById("answer") ?? document.getElementById("asked"))?.focus({ preventScroll: true });
  };
  if (!away) return null;
  return html`<div class="open-below">
    <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} />
    <b>${t("tu.open")}</b>
    <button class="btn go sm" type="button" onClick=${go}>${t("tu.to_question")}</button>
  </div>`;
}
