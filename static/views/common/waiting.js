// @ts-check
/** Notice of a wait, without a spinner; it says so when it takes long. */

import { useEffect, useState } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";

const SLOW_MS = 10_000;

/** @param {{ words: string }} props */
export function Waiting({ words }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return html`<p class="growing" role="status">
    <span class="pulse"></span>
    <span>${slow ? t("tu.slow", { words }) : common("wait.loading", { words })}</span>
  </p>`;
}
