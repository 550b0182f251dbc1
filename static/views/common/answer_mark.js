// @ts-check
/** Mark of an answer as an icon. */

import { html } from "../../lib/html.js";

/** @import { AnswerMark } from "../../types.d.ts" */

/** @type {Record<AnswerMark, () => any>} */
const SHAPES = {
  right: () => html`<circle cx="6" cy="6" r="4.5" />`,
  partly: () => html`<circle cx="6" cy="6" r="4.25" /><path d="M6 1.5a4.5 4.5 0 0 1 0 9z" />`,
  missed: () => html`<path d="M2.5 2.5l7 7M9.5 2.5l-7 7" />`,
};

/**
 * Disc for right, half a disc for partly, a cross for missed.
 * @param {{ mark: AnswerMark }} props
 */
export const AnswerMarkIcon = ({ mark }) =>
  html`<svg class="am am-${mark}" viewBox="0 0 12 12" aria-hidden="true">
    ${SHAPES[mark]()}
  </svg>`;
