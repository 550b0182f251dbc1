// @ts-check
/** Card on the home that links to the last unfinished lesson. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import * as api from "../../net/api.js";
import * as pathsApi from "../../net/paths_api.js";
import * as teachingApi from "../../net/teaching_api.js";
import { lessonUrl } from "../../state/router.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { Lesson, NodeRow } from "../../types.d.ts" */

/** Number of recent sessions to consider; older ones are taken as abandoned. */
const LATEST = 3;

export function ContinueCard() {
  const found = useSignal(/** @type {{ node: NodeRow, lesson: Lesson } | null} */ (null));
  useEffect(() => {
    let left = false;
    openLesson().then(
      (open) => {
        if (!left) found.value = open;
      },
      (error) => {
        if (!(error instanceof api.ApiError)) throw error;
      },
    ); // the home itself reports the outage
    return () => {
      left = true;
    };
  }, []);
  if (!found.value) return null;
  const { node, lesson } = found.value;
  const words = commaJoined([
    lesson.plan.length > 0 && lesson.chunk > 0 && t("goon.chunk", { at: lesson.chunk, n: lesson.plan.length }),
    lesson.question && t("goon.open"),
  ]);
  return html`<section class="today" aria-label=${t("goon.label")}>
    <${Mark} state="progress" mastery=${lesson.mastery} />
    <div><h2 class="t18">${node.title}</h2><p class="dim">${words || t("goon.begun")}</p></div>
    <a class="btn" href=${lessonUrl(node.branchId ?? "", node.parentId ?? "", node.id)}>
      ${t("goon.go")}
      <span class="vh"> ${node.title}</span>
    </a>
  </section>`;
}

/** @returns {Promise<{ node: NodeRow, lesson: Lesson } | null>} */
async function openLesson() {
  const begun = (await teachingApi.allSessions()).filter((session) => session.nodeId && !session.endedAt);
  for (const session of begun.slice(-LATEST).reverse()) {
    const [node, lesson] = await Promise.all([pathsApi.node(session.nodeId ?? ""), teachingApi.lesson(session.id)]);
    if (!lesson.completed && (lesson.chunk > 0 || lesson.question)) return { node, lesson };
  }
  return null;
}
