// @ts-check
/** Citations: chips below the tutor's text, the passage beside it. */

import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import { passage } from "../../net/documents_api.js";
import { Icon } from "../common/icons.js";
import { Fault } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";

/** @import { Citation } from "../../types.d.ts" */

const PATH_JOINT = " › ";

/** A document and the place in it: a page, slides or a heading. @param {Citation} citation */
export function placeOf({ document: name, page, slides, heading }) {
  if (page !== null) return t(slides ? "tu.cite_slide" : "tu.cite_page", { name, page });
  return heading ? t("tu.cite_part", { name, part: partOf({ heading }) }) : name;
}

/** The heading that a passage stands under; empty without one. @param {Pick<Citation, "heading">} citation */
export const partOf = ({ heading }) => heading?.split(PATH_JOINT).at(-1) ?? "";

/** @param {{ citations: Citation[], onCite: (citation: Citation) => void }} props */
export const CitationChips = ({ citations, onCite }) =>
  citations.length > 0 &&
  html`<p class="cites">
    <span class="vh">${t("tu.cites")}</span>
    ${citations.map(
      (one) => html`<button key=${one.passageId} class="cite" type="button" onClick=${() => onCite(one)}>
        <${Icon} name="doc" small />
        <span>${placeOf(one)}</span>
      </button>`,
    )}
  </p>`;

/**
 * The fetched value or the problem, with a retry.
 * @template T
 * @param {() => Promise<T>} fetch
 * @returns {{ found: T | null, problem: string | null, again: () => void }}
 */
function useFetched(fetch) {
  const [found, setFound] = useState(/** @type {T | null} */ (null));
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let left = false;
    setProblem(null);
    fetch().then(
      (one) => {
        if (!left) setFound(() => one);
      },
      (error) => {
        if (!(error instanceof ApiError)) throw error;
        if (!left) setProblem(error.status === 404 ? t("tu.cite_gone") : error.message);
      },
    );
    return () => {
      left = true;
    };
  }, [attempt]);
  return { found, problem, again: () => setAttempt(attempt + 1) };
}

/**
 * A passage beside the text; Escape closes it and returns the focus.
 * @param {{ citation: Citation, onRead: (citation: Citation) => void, onClose: () => void }} props
 */
export function PassageNote({ citation, onRead, onClose }) {
  const { found, problem, again } = useFetched(() => passage(citation.passageId));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    box.current?.focus({ preventScroll: true });
    return () => before?.focus({ preventScroll: true });
  }, []);
  const escape = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
  };
  return html`<section class="note cited" tabindex="-1" ref=${box} aria-label=${placeOf(citation)} onKeyDown=${escape}>
    <h2>
      <${Icon} name="doc" small />
      <span>${placeOf(citation)}</span>
      <button class="btn flat icon sm" type="button" aria-label=${t("tu.cite_close")} onClick=${onClose}>
        <${Icon} name="close" small />
      </button>
    </h2>
    ${!found && problem && html`<${Fault} message=${problem} onRetry=${again} />`}
    ${!found && !problem && html`<p class="dimmer t13" role="status">${t("tu.cite_loading")}</p>`}
    ${
      found &&
      html`<div class="say dim quote" tabindex="0" role="group" aria-label=${t("tu.cite_passage")}>
        <${Markdown} text=${found.text} />
      </div>`
    }
    ${
      found &&
      html`<button class="link t13" type="button" onClick=${() => onRead(citation)}>${t("tu.cite_open")}</button>`
    }
  </section>`;
}
