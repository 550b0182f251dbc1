// @ts-check
/** Lessons that learners have shared with a class, for its teacher to read. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/desk.js";
import { day, hour, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as deskApi from "../../net/desk_api.js";
import { Dialog } from "../common/dialog.js";
import { useLoaded } from "../common/loaded.js";
import { Markdown } from "../rich/markdown.js";

/** @import { SharedLesson, SharedMessage } from "../../types.d.ts" */

/** @param {{ classId: string }} props */
export function SharedLessons({ classId }) {
  const { found } = useLoaded(() => deskApi.sharedLessons(classId));
  const opened = useSignal(/** @type {SharedLesson | null} */ (null));
  if (!found.value?.length) return null;
  return html`<section class="dk-shared" aria-labelledby="shared">
    <h2 id="shared" class="t18">${t("sh.title")}</h2>
    <ul>
      ${found.value.map(
        (lesson) => html`<li key=${lesson.sessionId}>
          <button
            class="link"
            type="button"
            onClick=${() => {
              opened.value = lesson;
            }}
          >
            ${titleOf(lesson)}
          </button>
          <span class="t13 dim">${day(lesson.sharedAt, api.serverNow())}</span>
        </li>`,
      )}
    </ul>
    ${
      opened.value &&
      html`<${Reading}
        classId=${classId}
        lesson=${opened.value}
        onClose=${() => {
          opened.value = null;
        }}
      />`
    }
  </section>`;
}

/** @param {SharedLesson} lesson */
const titleOf = ({ displayName, topic }) => t("sh.by", { name: displayName, topic: topic ?? t("sh.lesson") });

/** @param {{ classId: string, lesson: SharedLesson, onClose: () => void }} props */
function Reading({ classId, lesson, onClose }) {
  const { found, problem } = useLoaded(() => deskApi.sharedMessages(classId, lesson.sessionId));
  return html`<${Dialog} title=${titleOf(lesson)} onClose=${onClose}>
    ${problem.value && html`<p class="err" role="alert">${problem.value}</p>`}
    <ol class="dk-talk">${found.value?.map((message, i) => html`<${Message} key=${i} message=${message} />`)}</ol>
    <p><button class="btn" type="button" onClick=${onClose}>${t("sh.close")}</button></p>
  <//>`;
}

/** A learner's words stand as they were written. @param {{ message: SharedMessage }} props */
const Message = ({ message: { role, content, at } }) => html`<li>
  <p class="t13 dim">
    ${t(role === "user" ? "sh.learner" : "sh.tutor")} <time datetime=${at}>${hour(new Date(parseMs(at)))}</time>
  </p>
  ${role === "user" ? html`<p class="dk-words" dir="auto">${content}</p>` : html`<${Markdown} text=${content} />`}
</li>`;
