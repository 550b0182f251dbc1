// @ts-check
/** List of courses, each of which grows with one click. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/ways.js";
import { html } from "../../lib/html.js";
import { listedFirst } from "../../state/unknown_topic.js";
import { Mark } from "../common/node_state_shapes.js";

/** @import { Course } from "../../types.d.ts" */

const MOST = 6;

/** @param {{ courses: Course[], onChoose: (title: string) => void, busy?: boolean }} props */
export function CourseList({ courses, onChoose, busy }) {
  const all = useSignal(false);
  const shown = all.value ? courses : listedFirst(courses, MOST);
  return html`
    <ul class="courses">
      ${shown.map(
        (each) => html`<li key=${each.title}>
          <${Mark} state="ready" />
          <span>
            <button class="link" type="button" disabled=${busy} onClick=${() => onChoose(each.title)}>
              <span class="vh">${t("ways.grow")} </span><b>${each.title}</b>
            </button>
            ${each.near && html` <span class="chip leaf">${t("ways.near")}</span>`}
            <br />
            <span class="t13 dim">${t("ways.concepts", { n: each.concepts, desc: each.desc })}</span>
          </span>
        </li>`,
      )}
    </ul>
    ${
      shown.length < courses.length &&
      html`<button
        class="btn flat sm"
        type="button"
        onClick=${() => {
          all.value = true;
        }}
      >
        ${t("ways.all", { n: courses.length })}
      </button>`
    }
  `;
}
