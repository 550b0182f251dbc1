// @ts-check
/** The lesson that was begun last and is not over: one line on the home, and the way back into it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { inRow } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import * as learning from "../learning.js";
import { learnUrl } from "../router.js";
import { Mark } from "./marks.js";

/** @import { Lesson, NodeRow } from "../types.d.ts" */

/** Older lessons than these are not looked at: somebody who left them does not want them in the way. */
const LATEST = 3;

export function GoOn() {
  const found = useSignal(/** @type {{ node: NodeRow, lesson: Lesson } | null} */ (null));
  useEffect(() => {
    let left = false;
    openLesson().then((open) => { if (!left) found.value = open; }, (error) => { if (!(error instanceof api.ApiError)) throw error; }); // the home says itself that the server is away
    return () => { left = true; };
  }, []);
  if (!found.value) return null;
  const { node, lesson } = found.value;
  const words = inRow([
    lesson.plan.length > 0 && lesson.chunk > 0 && t("goon.chunk", { at: lesson.chunk, n: lesson.plan.length }),
    lesson.question && t("goon.open"),
  ]);
  return html`<section class="today" aria-label=${t("goon.label")}>
    <${Mark} state="progress" mastery=${lesson.mastery} />
    <div><h2 class="t18">${node.title}</h2><p class="dim">${words || t("goon.begun")}</p></div>
    <a class="btn" href=${learnUrl(node.branchId ?? "", node.parentId ?? "", node.id)}>${t("goon.go")}<span class="vh"> ${node.title}</span></a>
  </section>`;
}

/** @returns {Promise<{ node: NodeRow, lesson: Lesson } | null>} */
async function openLesson() {
  const begun = (await learning.allSessions()).filter((session) => session.nodeId && !session.endedAt);
  for (const session of begun.slice(-LATEST).reverse()) {
    const [node, lesson] = await Promise.all([api.node(session.nodeId ?? ""), learning.lesson(session.id)]);
    if (!lesson.completed && (lesson.chunk > 0 || lesson.question)) return { node, lesson };
  }
  return null;
}
