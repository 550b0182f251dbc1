// @ts-check
/** A path without concepts: why its growing failed, or the button that begins it. */

import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { earlyEnding, nextWords } from "../../lib/run_ending.js";
import { serverSentence } from "../../lib/server_words.js";
import { lazy } from "../common/lazy.js";
import { Fault } from "../common/shell.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { Run } from "../../types.d.ts" */

const askAtHome = lazy(async () => (await import("./ask_at_home.js")).AskAtHome);

/** @param {{ path: OpenPath }} props */
export function EmptyPath({ path }) {
  const run = path.run.value;
  const small = run?.small ?? false;
  const failed = run && (run.state === "timed_out" || run.error) ? failureWords(run) : null;
  return html`<div class="barren">
    ${
      failed
        ? html`<${Fault}
          message=${failed}
          isFilled
          onRetry=${() => path.grow(small)}
          busy=${path.busy.value === "starting"}
        >
          ${run?.error?.code === "unknown_topic" && html`<${askAtHome.View} path=${path} />`}
        <//>`
        : html`
          <h2 class="t18">${t("path.empty")}</h2>
          <p class="dim">${t("path.empty_text")}</p>
          <button class="btn go" type="button" disabled=${path.busy.value !== null} onClick=${() => path.grow(small)}>
            ${t(path.busy.value ? "act.waking" : "path.grow")}
          </button>
        `
    }
    ${path.refusal.value && html`<p class="err" role="alert">${path.refusal.value}</p>`}
  </div>`;
}

/** Why nothing has grown. @param {Run} run */
function failureWords(run) {
  const early = earlyEnding(run);
  if (early) return `${early}. ${nextWords(run)}`;
  return run.error ? serverSentence(run.error) : t("paths.timed_out");
}
