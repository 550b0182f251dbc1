// @ts-check
/** Passages that a node teaches from; each opens in its document. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/about.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import * as pathsApi from "../../net/paths_api.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { Markdown } from "../rich/markdown.js";

/** @import { NodeSources, Passage } from "../../types.d.ts" */

const AT_FIRST = 3;

const reader = lazy(async () => {
  const [{ DocumentReader }] = await Promise.all([
    import("../common/document_reader.js"),
    loadSheet("styles/teaching.css"),
  ]);
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
    pathsApi.sources(nodeId).then(
      (sources) => {
        if (!left) found.value = sources;
      },
      (error) => {
        if (!(error instanceof api.ApiError)) throw error;
        if (!left) failed.value = true;
      },
    );
    return () => {
      left = true;
    };
  }, [nodeId]);
  if (failed.value) return html`<span class="dimmer">${t("about.source_away")}</span>`;
  if (!found.value) return html`<span class="dimmer">${t("about.source_loading")}</span>`;
  const { passages } = found.value;
  if (!passages.length) return html`<span class="dimmer">${t("about.source_none")}</span>`;
  return html`
    ${(every.value ? passages : passages.slice(0, AT_FIRST)).map(
      (passage) => html`<details key=${passage.id} class="source">
        <summary>
          <span class="cite">
            <${Icon} name="doc" />
            ${commaJoined([
              passage.document,
              passage.page ? t(passage.slides ? "about.slide" : "about.page", { n: passage.page }) : passage.heading,
            ])}
          </span>
        </summary>
        <blockquote class="say"><${Markdown} text=${passage.text} /></blockquote>
        <button
          class="link"
          type="button"
          onClick=${() => {
            read.value = passage;
          }}
        >
          ${t("about.source_open")}
        </button>
      </details>`,
    )}
    ${
      !every.value &&
      passages.length > AT_FIRST &&
      html`<button
        class="link"
        type="button"
        onClick=${() => {
          every.value = true;
        }}
      >
        ${t("about.source_more", { n: passages.length - AT_FIRST })}
      </button>`
    }
    ${
      read.value &&
      html`<${reader.View}
        key=${read.value.id}
        documentId=${read.value.documentId}
        name=${read.value.document}
        passageId=${read.value.id}
        onClose=${() => {
          read.value = null;
        }}
      />`
    }
  `;
}
