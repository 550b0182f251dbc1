// @ts-check
/** Sections of a path's documents that no concept teaches, each with its reason and a button that brings it in. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/notes.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { ApiError } from "../../net/api.js";
import { bringIn, leftOut } from "../../net/documents_api.js";
import { pathUrl } from "../../state/router.js";
import { isActive } from "../../state/run_view.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";

/** @import { BroughtIn, LeftOut, LeftOutSection } from "../../types.d.ts" */
/** @import { OpenPath } from "../../state/open_path.js" */

const AT_FIRST = 60;

const reader = lazy(async () => {
  const [{ DocumentReader }] = await Promise.all([
    import("../common/document_reader.js"),
    loadSheet("styles/teaching.css"),
  ]);
  return DocumentReader;
});

/** @param {LeftOutSection} section */
const keyOf = ({ documentId, start }) => `${documentId} ${start}`;

/** Renders nothing for a path that leaves nothing out. @param {{ path: OpenPath }} props */
export function LeftOutSections({ path }) {
  const found = useSignal(/** @type {LeftOut | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(/** @type {string | null} */ (null));
  const brought = useSignal(/** @type {BroughtIn | null} */ (null));
  const open = useSignal(/** @type {LeftOutSection | null} */ (null));
  const shown = useSignal(AT_FIRST);

  const load = async () => {
    try {
      found.value = await leftOut(path.branchId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the next change of the path asks again
    }
  };
  const concepts = [...path.all.value.values()].filter((node) => node.type === "concept").length;
  useEffect(() => {
    load();
  }, [path.branchId, path.run.value?.state, isActive(path.run.value) ? 0 : concepts, path.documents().length]);

  /** @param {LeftOutSection} section */
  const bring = async (section) => {
    if (busy.value) return;
    busy.value = keyOf(section);
    problem.value = null;
    brought.value = null;
    try {
      brought.value = await bringIn(section.documentId, section.start, path.run.value?.small ?? false);
      await Promise.all([path.load(), load()]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = error.message;
      await load();
    } finally {
      busy.value = null;
    }
  };
  if (found.value?.growing) return html`<p class="left-out dimmer">${t("left.growing")}</p>`;
  const sections = found.value?.sections ?? [];
  if (!sections.length && !brought.value) return "";
  const documents = new Set(sections.map((one) => one.documentId)).size;
  return html`<details class="left-out">
    <summary>
      <${Icon} name="doc" small />
      <span>${t("left.title", { n: sections.length })}</span>
    </summary>
    <p role="status">
      ${
        brought.value &&
        html`${t(brought.value.created ? "left.brought" : "left.there", { title: brought.value.concept.title })}${" "}
          <a href=${pathUrl(path.branchId, brought.value.concept.id)}>${t("left.show")}</a>`
      }
    </p>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <ul aria-label=${t("left.list")}>
      ${sections.slice(0, shown.value).map(
        (section) => html`<${Row}
          key=${keyOf(section)}
          section=${section}
          isNamed=${documents > 1}
          busy=${busy.value}
          onOpen=${() => {
            open.value = section;
          }}
          onBring=${() => bring(section)}
        />`,
      )}
    </ul>
    ${
      sections.length > shown.value &&
      html`<button
        class="link"
        type="button"
        onClick=${() => {
          shown.value = sections.length;
        }}
      >
        ${t("left.more", { n: sections.length - shown.value })}
      </button>`
    }
    ${
      open.value &&
      html`<${reader.View}
        key=${keyOf(open.value)}
        documentId=${open.value.documentId}
        name=${open.value.document}
        passageId=${open.value.passageId}
        onClose=${() => {
          open.value = null;
        }}
      />`
    }
  </details>`;
}

/**
 * @param {{
 *   section: LeftOutSection,
 *   isNamed: boolean,
 *   busy: string | null,
 *   onOpen: () => void,
 *   onBring: () => void,
 * }} props `isNamed`: whether its document is named, `busy`: the key of the section that is being brought in
 */
const Row = ({ section, isNamed, busy, onOpen, onBring }) => {
  const { title, path, page, slides, words, reason, document } = section;
  const above = path.at(-2);
  const place = commaJoined([
    isNamed && document,
    above && t("left.in", { above }),
    page !== null && t(slides ? "left.slide" : "left.page", { n: page }),
    t("left.words", { n: words }),
  ]);
  const isBusy = busy === keyOf(section);
  return html`<li>
    <button class="link note-name" type="button" aria-label=${t("left.open", { title })} onClick=${onOpen}>
      ${title}
    </button>
    <span class="dimmer">${t(`left.why.${reason}`)}<br />${place}</span>
    <span class="note-do">
      <button
        class="btn sm"
        type="button"
        aria-disabled=${busy !== null || undefined}
        aria-busy=${isBusy || undefined}
        aria-label=${isBusy ? undefined : t("left.bring_of", { title })}
        onClick=${onBring}
      >
        ${t(isBusy ? "left.bringing" : "left.bring")}
      </button>
    </span>
  </li>`;
};
