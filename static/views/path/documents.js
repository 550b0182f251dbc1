// @ts-check
/** Documents of a path with the state of their extraction. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t as home } from "../../i18n/home.js";
import { t } from "../../i18n/notes.js";
import { commaJoined, size } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { ApiError } from "../../net/api.js";
import { deleteDocument, documents, fileUrl, retryExtraction, upload } from "../../net/documents_api.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { LeftOutSections } from "./left_out.js";

/** @import { Document } from "../../types.d.ts" */
/** @import { OpenPath } from "../../state/open_path.js" */

const LOOK_EVERY_MS = 1000;
const SLIDES = "presentationml.presentation";

const reader = lazy(async () => {
  const [{ DocumentReader }] = await Promise.all([
    import("../common/document_reader.js"),
    loadSheet("styles/teaching.css"),
  ]);
  return DocumentReader;
});

/** Status of a document in words. @param {Document} document */
function statusOf({ extractionStatus, passages, pages, mimeType }) {
  if (extractionStatus === "pending") return t("notes.pending");
  if (extractionStatus === "failed") return t("notes.failed");
  const paged = pages !== null && t(mimeType.endsWith(SLIDES) ? "notes.slides" : "notes.pages", { n: pages });
  return commaJoined([t("notes.read"), paged || t("notes.passages", { n: passages })]);
}

/** @param {{ path: OpenPath }} props */
export function PathDocuments({ path }) {
  const looked = useSignal(/** @type {Document[] | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(/** @type {string | null} */ (null));
  const open = useSignal(/** @type {Document | null} */ (null));
  const rootId = path.rootId.value ?? "";
  const all = looked.value ?? path.documents();
  const count = (/** @type {string} */ status) => all.filter((one) => one.extractionStatus === status).length;
  const [pending, failed] = [count("pending"), count("failed")];

  const look = async () => {
    try {
      looked.value = await documents(rootId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the next poll tries again
    }
  };
  useEffect(() => {
    if (!pending) return;
    const timer = setInterval(() => {
      if (!document.hidden) look();
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [pending > 0, rootId]);

  /** @param {string} id @param {() => Promise<unknown>} job */
  const act = async (id, job) => {
    busy.value = id;
    problem.value = null;
    try {
      await job();
      await look();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = error.message;
    } finally {
      busy.value = null;
    }
  };
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {Iterable<File>} chosen */
  const add = async (chosen) => {
    const files = [...chosen];
    if (files.length) await act("", () => upload(rootId, files, () => null));
  };
  const wasOpened = useRef(false); // it does not close by itself once what it was opened for is put right
  wasOpened.current ||= failed > 0; // while they are read it would cover the path that grows
  if (!all.length) return "";
  const says = pending
    ? t("notes.reading", { n: pending })
    : failed
      ? t("notes.some_failed", { n: failed })
      : t("notes.all_read");
  return html`
    <details class="path-notes" open=${wasOpened.current}>
    <summary>
      <${Icon} name=${failed && !pending ? "warn" : "doc"} small />
      <span>${t("notes.title", { n: all.length })}</span>
      <span class="dimmer" role="status">${says}</span>
    </summary>
    <ul aria-label=${home("ask.notes")}>
      ${all.map(
        (one) => html`<${Row}
          key=${one.id}
          document=${one}
          busy=${busy.value === one.id}
          onOpen=${() => {
            open.value = one;
          }}
          onRetry=${() => act(one.id, () => retryExtraction(rootId, one.id))}
          onRemove=${() => act(one.id, () => deleteDocument(rootId, one.id))}
        />`,
      )}
    </ul>
    <input
      class="vh"
      type="file"
      multiple
      ref=${picker}
      tabindex="-1"
      aria-hidden="true"
      onChange=${(/** @type {any} */ event) => {
        add(event.target.files);
        event.target.value = "";
      }}
    />
    <button class="btn flat sm" type="button" disabled=${busy.value !== null} onClick=${() => picker.current?.click()}>
      <${Icon} name="upload" small />
      ${t("notes.add")}
    </button>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    ${
      open.value &&
      html`<${reader.View}
        documentId=${open.value.id}
        name=${open.value.originalFilename}
        passageId=${null}
        onClose=${() => {
          open.value = null;
        }}
      />`
    }
    </details>
    <${LeftOutSections} path=${path} />
  `;
}

/**
 * @param {{ document: Document, busy: boolean, onOpen: () => void, onRetry: () => void, onRemove: () => void }} props
 */
const Row = ({ document: one, busy, onOpen, onRetry, onRemove }) => {
  const { id, originalFilename: name, extractionStatus: status, extractionError: message, extractionCode: code } = one;
  const reason = message && serverSentence({ code, message });
  return html`<li class=${status}>
    ${
      status === "completed"
        ? html`<button class="link note-name" type="button" onClick=${onOpen}>${name}</button>`
        : html`<span class="note-name">${name}</span>`
    }
    <span class="dimmer">
      ${status === "pending" && html`<span class="pulse"></span> `}
      ${commaJoined([statusOf(one), size(one.fileSizeBytes)])}
    </span>
    ${reason && html`<p class="note-why">${reason}</p>`}
    <span class="note-do">
      ${
        status === "failed" &&
        html`
          <button
            class="btn sm"
            type="button"
            disabled=${busy}
            aria-label=${t("notes.retry_of", { name })}
            onClick=${onRetry}
          >
            ${t("notes.retry")}
          </button>
          <button
            class="btn flat sm"
            type="button"
            disabled=${busy}
            aria-label=${home("ask.remove", { name })}
            onClick=${onRemove}
          >
            ${t("notes.remove")}
          </button>
        `
      }
      <a class="btn flat icon sm" href=${fileUrl(id)} download=${name} aria-label=${t("notes.save", { name })}>
        <${Icon} name="export" small />
      </a>
    </span>
  </li>`;
};
