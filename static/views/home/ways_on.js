// @ts-check
/** Panel for a topic that the model knows nothing about: add notes, choose a course, or connect a model. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/ways.js";
import { html } from "../../lib/html.js";
import { settingsUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { CourseList } from "./courses.js";

/** @import { ComponentChildren } from "preact" */
/** @import { UnknownTopic } from "../../state/unknown_topic.js" */

/**
 * @param {{
 *   refusal: UnknownTopic,
 *   busy: boolean,
 *   onAddNotes: () => void,
 *   onChoose: (title: string) => void,
 * }} props
 */
export function WaysOn({ refusal, busy, onAddNotes, onChoose }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => heading.current?.focus(), [refusal]);
  const courses =
    refusal.courses.length > 0 &&
    html`<div class="way-courses">
      <h3>${t("ways.courses")}</h3>
      <${CourseList} courses=${refusal.courses} onChoose=${onChoose} busy=${busy} />
    </div>`;
  const near = refusal.courses.some((each) => each.near);
  return html`<section class="ways" aria-labelledby="ways-title">
    <h2 id="ways-title" class="t18" tabindex="-1" ref=${heading}>${t("ways.title", { topic: refusal.topic })}</h2>
    <p class="dim">${t("ways.text")}</p>
    ${near && courses}
    <${Way} icon="upload" title=${t("ways.notes")} text=${t("ways.notes_text")}>
      <button class=${near ? "btn sm sp" : "btn go sm sp"} type="button" disabled=${busy} onClick=${onAddNotes}>
        ${t("ways.notes_go")}
      </button>
    <//>
    <${Way} icon="sliders" title=${t("ways.model")} text=${t("ways.model_text")}>
      <a class="btn sm sp" href=${settingsUrl()}>${t("ways.model_go")}</a>
    <//>
    ${!near && courses}
  </section>`;
}

/** @param {{ icon: "upload" | "sliders", title: string, text: string, children?: ComponentChildren }} props */
const Way = ({ icon, title, text, children }) =>
  html`<div class="way-row">
    <${Icon} name=${icon} />
    <div>
      <h3>${title}</h3>
      <p class="t13 dim">${text}</p>
    </div>
    ${children}
  </div>`;
