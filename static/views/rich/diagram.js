// @ts-check
/** Diagram with its source folded below; the source alone if it cannot be drawn. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { CodeBlock } from "./code.js";
import { drawDiagram, cachedDrawing } from "./diagram_frame.js";
import { themeColours, themeVersion } from "./theme_colours.js";

const LONGEST_PICTURE = 200_000;

/** A diagram from Mermaid source. @param {{ source: string, title?: string }} props */
export function Diagram({ source, title = "" }) {
  const drawing = useSignal(useMemo(() => cachedDrawing(source, themeColours()), []));
  const failed = useSignal(false);
  const look = themeVersion();
  useEffect(() => {
    let isMeant = true;
    drawDiagram(source, themeColours()).then(
      (found) => {
        if (isMeant) {
          drawing.value = found;
          failed.value = false;
        }
      },
      () => {
        if (isMeant) {
          drawing.value = null;
          failed.value = true;
        }
      }, // its source is shown instead
    );
    return () => {
      isMeant = false;
    };
  }, [source, look]);
  return html`<${Framed} source=${source} lang="" isUndrawn=${failed.value}>
    ${
      drawing.value
        ? html`<${Picture}
          svg=${drawing.value.svg}
          width=${drawing.value.width}
          height=${drawing.value.height}
          words=${[title, drawing.value.labels].filter(Boolean).join(": ")}
        />`
        : !failed.value &&
          html`<p class="growing" role="status"><span class="pulse"></span><span>${t("md.drawing")}</span></p>`
    }
  <//>`;
}

/** A picture that a model has written as SVG. @param {{ source: string, title?: string }} props */
export function DiagramImage({ source, title = "" }) {
  const failed = useSignal(source.length > LONGEST_PICTURE);
  return html`<${Framed} source=${source} lang="svg" isUndrawn=${failed.value}>
    ${
      !failed.value &&
      html`<${Picture}
        svg=${source}
        words=${title}
        onFault=${() => {
          failed.value = true;
        }}
      />`
    }
  <//>`;
}

/**
 * As an image: no script of it runs, and it fetches nothing.
 * @param {{ svg: string, words: string, width?: number, height?: number, onFault?: () => void }} props
 */
const Picture = ({
  svg,
  words,
  width,
  height,
  onFault,
}) => html`<div class="picture" tabindex="0" role="group" aria-label=${t("md.diagram")}>
  <img
    src=${`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
    alt=${words || t("md.diagram")}
    width=${width}
    height=${height}
    style=${width ? { "--natural": `${width}px` } : undefined}
    onError=${onFault}
  />
</div>`;

/** @param {{ source: string, lang: string, isUndrawn: boolean, children?: any }} props */
const Framed = ({ source, lang, isUndrawn, children }) => html`<div class="diagram">
  ${children}
  ${isUndrawn && html`<p class="t13 dim">${t("md.undrawn")}</p>`}
  <details open=${isUndrawn}><summary>${t("tu.source")}</summary><${CodeBlock} text=${source} lang=${lang} /></details>
</div>`;
