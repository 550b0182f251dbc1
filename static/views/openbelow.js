// @ts-check
/** Where the checkpoint stands in the text and is out of sight: that it is open, and the way to it. */

import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import { Mark } from "./marks.js";

/** @import { OpenLesson } from "../lesson.js" */

/** @param {{ lesson: OpenLesson }} props */
export function OpenBelow({ lesson }) {
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
  return html`<div class="open-below"><${Mark} state="progress" mastery=${lesson.state.value?.mastery ?? 0} /><b>${t("tu.open")}</b><button class="btn sm" type="button" onClick=${go}>${t("tu.answer")}</button></div>`;
}
