// @ts-check
/** How an answer was marked, as a shape. */

import { html } from "../html.js";

/** @import { AnswerMark } from "../types.d.ts" */

/** An answer as a mark: a disc for right, half of one for partly, a cross for missed. @param {{ mark: AnswerMark }} props */
export const AnswerSign = ({ mark }) => html`<svg class="am am-${mark}" viewBox="0 0 12 12" aria-hidden="true">${
  mark === "right" ? html`<circle cx="6" cy="6" r="4.5" />`
    : mark === "missed" ? html`<path d="M2.5 2.5l7 7M9.5 2.5l-7 7" />`
      : html`<circle cx="6" cy="6" r="4.25" /><path d="M6 1.5a4.5 4.5 0 0 1 0 9z" />`}</svg>`;
