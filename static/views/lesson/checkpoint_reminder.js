// @ts-check
/** Reminder of an open checkpoint that is scrolled out of sight. */

import { useEffect, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { OpenLesson } from "../../state/lesson.js" */

/** @param {{ lesson: OpenLesson }} props */
export function CheckpointReminder({ lesson }) {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const dock = document.getElementById("dock");
    const watch = new IntersectionObserver(([seen]) => setAway(!seen.isIntersecting));
    if (dock) watch.observe(dock);
    return () => watch.disconnect();
  }, []);
  const go = () => {
    document.getElementById("dock")?.scrollIntoView({ block: "end" });
    (document.getElementById("answer") ?? document.getElementById("asked"))?.focus({ preventScroll: true });
  };
  if (!away) return null;
  return html`<div class="open-below">
    <${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} />
    <b>${t("tu.open")}</b>
    <button class="btn sm" type="button" onClick=${go}>${t("tu.answer")}</button>
  </div>`;
}
