// @ts-check
/** Line of a path that a teacher has given: from whom, for which class, and by when. */

import { t } from "../../i18n/given.js";
import { dueDay } from "../../lib/due_day.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as api from "../../net/api.js";

/** @import { CopiedPath } from "../../types.d.ts" */

/** @param {{ copy: CopiedPath }} props */
export function GivenLine({ copy: { teacher, className, dueOn } }) {
  const due = dueOn && dueDay(dueOn, api.serverNow(), chosenLanguage());
  const words = due && t(`gv.${due.key}`, { day: due.day });
  return html`<p class="given t13 dim" dir="auto">${commaJoined([t("gv.from", { teacher, className }), words])}</p>`;
}
