// @ts-check
/** What of the learner's notes a node teaches from; a passage opens where it stands. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { inRow } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Markdown } from "../markdown.js";
import { Icon } from "./icons.js";

/** @import { NodeSources } from "../types.d.ts" */

const AT_FIRST = 3;

/** @param {{ nodeId: string }} props */
export function Sources({ nodeId }) {
  const found = useSignal(/** @type {NodeSources | null} */ (null));
  const every = useSignal(false);
  const failed = useSignal(false);
  useEffect(() => {
    let left = false;
    api.sources(nodeId).then((sources) => { if (!left) found.value = sources; }, (error) => {
      if (!(error instanceof api.ApiError)) throw error;
      if (!left) failed.value = true;
    });
    return () => { left = true; };
  }, [nodeId]);
  if (failed.value) return html`<span class="dimmer">${t("about.source_away")}</span>`;
  if (!found.value) return html`<span class="dimmer">${t("about.source_loading")}</span>`;
  const { passages } = found.value;
  if (!passages.length) return html`<span class="dimmer">${t("about.source_none")}</span>`;
  return html`${(every.value ? passages : passages.slice(0, AT_FIRST)).map((passage) => html`<details key=${passage.id} class="source">
      <summary><span class="cite"><${Icon} name="doc" />${inRow([passage.document, passage.page ? t("about.page", { n: passage.page }) : passage.heading])}</span></summary>
      <blockquote class="say"><${Markdown} text=${passage.text} /></blockquote>
    </details>`)}
    ${!every.value && passages.length > AT_FIRST && html`<button class="link" type="button" onClick=${() => { every.value = true; }}>${t("about.source_more", { n: passages.length - AT_FIRST })}</button>`}`;
}
