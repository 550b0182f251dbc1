// @ts-check
/**
 * Card with which a learner comes back: nickname, QR code and five words, black on white in both themes.
 *
 * Printed, it stands alone on the page. Its sheet is `styles/card.css`.
 */

import { useMemo } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { correction, generate } from "../../vendor/lean-qr.mjs";
import { Icon, Logo } from "../common/icons.js";

/** @import { LearnerCard } from "../../types.d.ts" */

/** @typedef {{ size: number, get: (x: number, y: number) => boolean }} QrModules */
/** @type {(text: string, options: { minCorrectionLevel: number }) => QrModules} */
const encode = /** @type {any} */ (generate);

/** Modules of white around the code. */
const QUIET = 2;

/** @param {{ name: string, className: string, card: LearnerCard }} props */
export const Card = ({ name, className, card }) => html`<section class="pc" aria-label=${t("jn.card", { name })}>
  <span class="brand"><${Logo} /><span>${common("app.name")}</span></span>
  <${QrCode} text=${location.origin + card.path} label=${t("jn.qr", { name })} />
  <p class="nm" dir="auto">${name}</p>
  <p class="of"><span dir="auto">${className}</span><br />${location.host}</p>
  <p class="words">${t("jn.or_type")}<b dir="ltr" translate="no">${card.words}</b></p>
</section>`;

export const PrintButton = () => html`<button class="btn" type="button" onClick=${() => print()}>
  <${Icon} name="print" small />${t("jn.print")}
</button>`;

/** @param {{ text: string, label: string }} props */
function QrCode({ text, label }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  const edge = size + 2 * QUIET;
  return html`<svg
    class="qr"
    viewBox="${-QUIET} ${-QUIET} ${edge} ${edge}"
    role="img"
    aria-label=${label}
    shape-rendering="crispEdges"
  >
    <rect x=${-QUIET} y=${-QUIET} width=${edge} height=${edge} fill="#fff" />
    <path d=${path} fill="#000" />
  </svg>`;
}

/** The dark modules of a QR code as one path, a run of them at a time. @param {string} text */
export function qrPath(text) {
  const code = encode(text, { minCorrectionLevel: correction.M });
  let path = "";
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) {
      const from = x;
      while (code.get(x, y)) x++;
      if (x > from) path += `M${from} ${y}h${x - from}v1h${from - x}z`;
    }
  return { size: code.size, path };
}
