// @ts-check
/** Document reader, opened at a passage; loads more text while scrolling. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import { fileUrl, passage, passagesAt } from "../../net/documents_api.js";
import { Markdown } from "../rich/markdown.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";
import { Fault } from "./shell.js";
import { ReadAloud } from "./voice.js";

/** @import { Passage } from "../../types.d.ts" */
/**
 * @typedef {{ passages: Passage[], above: boolean, below: boolean }} Shown `above`, `below`: whether there is more text
 */

const AT_FIRST = 12;
const MORE = 30;
const NEAR = "600px";

/**
 * The passages around one, or from the start.
 * @param {string} documentId
 * @param {string | null} passageId
 * @returns {Promise<Shown>}
 */
async function fetchAround(documentId, passageId) {
  if (!passageId) {
    const start = await passagesAt(documentId, { limit: AT_FIRST });
    return { passages: start.passages, above: false, below: start.more };
  }
  const [before, here, after] = await Promise.all([
    passagesAt(documentId, { before: passageId, limit: AT_FIRST }),
    passage(passageId),
    passagesAt(documentId, { after: passageId, limit: AT_FIRST }),
  ]);
  return { passages: [...before.passages, here, ...after.passages], above: before.more, below: after.more };
}

/** @param {{ documentId: string, name: string, passageId: string | null, onClose: () => void }} props */
export function DocumentReader({ documentId, name, passageId, onClose }) {
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const here = useRef(/** @type {HTMLElement | null} */ (null));
  const kept = useRef(/** @type {{ element: Element, top: number } | null} */ (null));
  const busy = useRef(false);

  /** @param {() => Promise<Shown>} next */
  const take = async (next) => {
    if (busy.current) return;
    busy.current = true;
    setProblem(null);
    try {
      setShown(await next());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error.status === 404 ? t("tu.cite_gone") : error.message);
    } finally {
      busy.current = false;
    }
  };
  const open = () => take(() => fetchAround(documentId, passageId));
  const further = (/** @type {boolean} */ upwards) =>
    shown &&
    take(async () => {
      const edge = shown.passages[upwards ? 0 : shown.passages.length - 1].id;
      const { passages, more } = await passagesAt(documentId, {
        limit: MORE,
        ...(upwards ? { before: edge } : { after: edge }),
      });
      const first = upwards ? box.current?.querySelector("[data-passage]") : null;
      kept.current = first ? { element: first, top: first.getBoundingClientRect().top } : null;
      return upwards
        ? { ...shown, passages: [...passages, ...shown.passages], above: more }
        : { ...shown, passages: [...shown.passages, ...passages], below: more };
    });
  useEffect(() => {
    open();
  }, []);
  useEffect(() => {
    here.current?.scrollIntoView({ block: "center" });
  }, [shown !== null]);
  useLayoutEffect(() => {
    // keep the scroll position while text is added above
    if (kept.current && box.current)
      box.current.scrollTop += kept.current.element.getBoundingClientRect().top - kept.current.top;
    kept.current = null;
  }, [shown]);

  return html`<${Dialog} title=${name} kind="reader" onClose=${onClose}>
    <div class="reader-tools">
      <a class="btn flat icon sm" href=${fileUrl(documentId)} download=${name} aria-label=${t("tu.reader_save")}>
        <${Icon} name="export" small />
      </a>
      <button class="btn flat icon sm" type="button" aria-label=${t("tu.cite_close")} onClick=${onClose}>
        <${Icon} name="close" small />
      </button>
    </div>
    ${
      shown &&
      html`<div class="reader-text" tabindex="0" role="group" aria-label=${name} ref=${box}>
        ${shown.above && html`<${Edge} key="above" box=${box} onNear=${() => further(true)} />`}
        ${shown.passages.map(
          (one, i) => html`<${ReadPassage}
            key=${one.id}
            passage=${one}
            before=${shown.passages[i - 1]}
            isFirst=${i === 0}
            isHere=${one.id === passageId}
            isStart=${one.id === (passageId ?? shown.passages[0].id)}
            place=${here}
          />`,
        )}
        ${shown.below && html`<${Edge} key="below" box=${box} onNear=${() => further(false)} />`}
      </div>`
    }
    ${
      problem
        ? html`<${Fault} message=${problem} onRetry=${open} />`
        : !shown && html`<p class="dimmer" role="status">${t("tu.cite_loading")}</p>`
    }
  <//>`;
}

/**
 * Where the text goes on: more is fetched as soon as this comes near.
 * @param {{ box: { current: HTMLElement | null }, onNear: () => unknown }} props
 */
function Edge({ box, onNear }) {
  const line = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    // again after each page, since a short one may leave the edge in sight
    const watch = new IntersectionObserver(
      ([seen]) => {
        if (seen.isIntersecting) onNear();
      },
      { root: box.current, rootMargin: NEAR },
    );
    if (line.current) watch.observe(line.current);
    return () => watch.disconnect();
  });
  return html`<p class="t12 dimmer" ref=${line}>${t("tu.cite_loading")}</p>`;
}

/**
 * @param {{
 *   passage: Passage,
 *   before?: Passage,
 *   isFirst: boolean,
 *   isHere: boolean,
 *   isStart: boolean,
 *   place: { current: HTMLElement | null },
 * }} props `isStart`: whether reading aloud begins with it
 */
const ReadPassage = ({ passage: { id, page, slides, text }, before, isFirst, isHere, isStart, place }) => html`<div
  class=${isHere ? "say here" : "say"}
  data-passage=${id}
  aria-current=${isHere || undefined}
  ref=${isHere ? place : undefined}
>
  ${
    page !== null &&
    (isFirst || page !== before?.page) &&
    html`<p class="t12 dimmer reader-page">${t(slides ? "tu.cite_at_slide" : "tu.cite_at_page", { page })}</p>`
  }
  ${isHere && html`<span class="vh">${t("tu.cite_here")}</span>`}
  ${isStart && html`<${ReadAloud} of=".reader-text" from="[data-passage]" />`}
  <${Markdown} text=${text} />
</div>`;
