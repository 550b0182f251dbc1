// @ts-check
/** Home of a learner who has no path yet: courses to start from, and what the offline model can do. */

import { t } from "../../i18n/ways.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";
import { CourseList } from "./courses.js";

/** @import { Status } from "../../types.d.ts" */

/** @param {{ status: Status, onChoose: (title: string) => void }} props */
export function FirstRun({ status, onChoose }) {
  const { model, suggestions } = status;
  const note = model.offline ? t("ways.offline") : model.note;
  return html`<section class="first">
    ${
      suggestions.length > 0 &&
      html`
        <h2 class="t18">${t("ways.first")}</h2>
        <${CourseList} courses=${suggestions} onChoose=${onChoose} />
      `
    }
    ${note && html`<p class="first-note"><${Icon} name="info" /><span>${note}</span></p>`}
  </section>`;
}
