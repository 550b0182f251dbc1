// @ts-check
/** What of the learner's notes a node teaches from; a passage opens where it stands. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { inRow } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Markdown } from "../markdown.js";
import { sheet } from "../sheets.js";
import { Icon } from "./icons.js";
import { lazily } from "./lazily.js";

/** @import { NodeSources, Passage } from "../types.d.ts" */

const AT_FIRST = 3;

const reader = lazily(async () => {
  const [{ DocumentReader }] = await Promise.all([import("./reader.js"), sheet("learn.css")]);
  return DocumentReader;
});

/** @param {{ nodeId: string }} props */
export function Sources({ nodeId }) {
  const found = useSignal(/** @type {NodeSources | null} */ (null));
  const every = useSignal(false);
  const failed = useSignal(false);
  const read = useSignal(/** @type {Passage | null} */ (null));
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
      <summary><span class="cite"><${Icon} name="doc" />${inRow([passage.document, passage.page ? t(passage.slides ? "about.slide" : "about.page", { n: passage.page }) : passage.heading])}</span></summary>
      <blockquote class="say"><${Markdown} text=${passage.text} /></blockquote>
      <button class="link" type="button" onClick=${() => { read.value = passage; }}>${t("about.source_open")}</button>
    </details>`)}
    ${!every.value && passages.length > AT_FIRST && html`<button class="link" type="button" onClick=${() => { every.value = true; }}>${t("about.source_more", { n: passages.length - AT_FIRST })}</button>`}
    ${read.value && html`<${reader.View} key=${read.value.id} documentId=${read.value.documentId} name=${read.value.document} passageId=${read.value.id} onClose=${() => { read.value = null; }} />`}`;
}
