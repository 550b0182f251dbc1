// @ts-check
/** Way out of a path whose topic the model knows nothing about: the form for a new path, with the topic in it. */

import { t } from "../../i18n/ways.js";
import { html } from "../../lib/html.js";
import { TOPIC_DRAFT, saveDraft } from "../../state/drafts.js";
import { pathsUrl } from "../../state/router.js";

/** @param {{ path: import("../../state/open_path.js").OpenPath }} props */
export function AskAtHome({ path }) {
  const keep = () => saveDraft(TOPIC_DRAFT, path.answer.value?.branch.title ?? "");
  return html`<p><a href=${pathsUrl()} onClick=${keep}>${t("ways.at_home")}</a></p>`;
}
