// @ts-check
/** Line of an agent's step, with input and result folded below. */

import { foldedPieces, toolPieces, totalDurationMs } from "../../lib/activity_lines.js";
import { count, modelName, parseMs, duration } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { askedSentence, guardSentence, serverSentence } from "../../lib/server_words.js";
import { t } from "../../i18n/run.js";
import { Icon } from "../common/icons.js";

/** @import { ToolEntry } from "../../types.d.ts" */

/**
 * @param {{
 *   line: import("../../lib/activity_lines.js").ReadableLine,
 *   nowMs: number,
 *   isOver: boolean,
 *   withText: boolean,
 * }} props
 */
export function Line({ line, nowMs, isOver, withText }) {
  if (line.kind === "text") return withText ? html`<li class="said"><p>${line.entry.text}</p></li>` : null;
  if (line.kind === "tool") return html`<${ToolLine} entry=${line.entry} isOver=${isOver} />`;
  if (line.kind === "many") return html`<${ManyLine} tool=${line.tool} entries=${line.entries} />`;
  return html`<${NoteLine} entry=${line.entry} nowMs=${nowMs} isOver=${isOver || !line.isLast} />`;
}

/** @param {{ entry: ToolEntry }} props */
const Words = ({ entry }) =>
  toolPieces(entry).map((piece, i) => (piece.isValue ? html`<b key=${i}>${piece.text}</b>` : piece.text));

/** Outcome of a call, which marks its line. @param {ToolEntry["result"]} result @param {boolean} isOver */
function outcomeOf(result, isOver) {
  if (result) return result.ok ? "ok" : "bad";
  return isOver ? "" : "now";
}

const LINE_MARKS = {
  ok: () => html`<${Icon} name="check" />`,
  bad: () => html`<${Icon} name="warn" />`,
  now: () => html`<span class="pulse"></span>`,
  "": () => html`<${Icon} name="stop" />`,
};

/** @param {{ entry: ToolEntry, isOver: boolean }} props */
function ToolLine({ entry, isOver }) {
  const { result } = entry;
  const refused = result && !result.ok;
  const tries = result && result.attempts > 1 ? t("line.attempts", { n: result.attempts }) : "";
  const outcome = outcomeOf(result, isOver);
  return html`<li class=${outcome}>
    ${LINE_MARKS[outcome]()}
    <details>
      <summary>
        <span class="line-words">
          <${Words} entry=${entry} />
          ${refused ? ` ${t("line.refused", { why: plain(result.summary) })}` : ""}
          ${tries && html` <span class="dimmer">${tries}</span>`}
        </span>
        <time>${result ? duration(result.durationMs) : ""}</time>
      </summary>
      <${Details} entry=${entry} />
    </details>
  </li>`;
}

/** @param {{ entry: ToolEntry }} props */
const Details = ({ entry }) => html`<dl class="io">
  <dt>${t("line.input")}</dt>
  <dd><pre tabindex="0">${JSON.stringify(entry.input, null, 2)}</pre></dd>
  ${entry.result && html`<dt>${t("line.result")}</dt><dd><pre tabindex="0">${entry.result.summary}</pre></dd>`}
</dl>`;

/** @param {{ tool: string, entries: ToolEntry[] }} props */
const ManyLine = ({ tool, entries }) => html`<li class="ok">
  <${Icon} name="check" />
  <details>
    <summary>
      <span class="line-words">${foldedPieces(tool, entries.length)}</span>
      <time>${duration(totalDurationMs(entries))}</time>
    </summary>
    <ul class="lines inner">
      ${entries.map((entry) => html`<${ToolLine} key=${entry.callId} entry=${entry} isOver=${true} />`)}
    </ul>
  </details>
</li>`;

/** The message of a refusal, taken out of its JSON. @param {string} summary */
function plain(summary) {
  const inside = /^\s*\{\s*"error"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(summary);
  return inside ? inside[1].replace(/\\(.)/g, "$1") : summary;
}

/**
 * Line of a retry, a switch or another notice.
 * @param {{ entry: any, nowMs: number, isOver: boolean }} props
 */
function NoteLine({ entry, nowMs, isOver }) {
  switch (entry.type) {
    case "retry": {
      const leftMs = entry.at ? parseMs(entry.at) + entry.delayMs - nowMs : 0;
      const why = reasonOf(entry).replace(/[.\s]+$/, ""); // a sentence follows
      const words = isOver
        ? t("line.retried", { why, seconds: round(entry.delayMs) })
        : leftMs > 500
          ? t("line.retry", { why, seconds: Math.ceil(leftMs / 1000) })
          : t("line.retry_now", { why });
      return html`<li class=${isOver ? "" : "wait"}>
        <${Icon} name="hourglass" />
        <span class="line-plain">
          <span>${words}</span>
          <time>${t("line.count", { n: entry.attempt, of: entry.of })}</time>
        </span>
      </li>`;
    }
    case "switched":
      return html`<li>
        <${Icon} name="again" />
        <span class="line-plain">
          <span>
            ${t("line.switched", {
              from: modelName(entry.from, false),
              to: modelName(entry.to, false),
              why: reasonOf(entry),
            })}
          </span>
        </span>
      </li>`;
    case "compacted":
      return html`<li>
        <${Icon} name="fit" />
        <span class="line-plain">
          <span>${t("line.compacted", { before: count(entry.tokensBefore), after: count(entry.tokensAfter) })}</span>
        </span>
      </li>`;
    case "asks":
      return html`<li class="wait">
        <${Icon} name="hourglass" />
        <span class="line-plain"><span>${t("line.asks", { question: questionOf(entry) })}</span></span>
      </li>`;
    case "resumed":
      return html`<li>
        <${Icon} name="again" />
        <span class="line-plain">
          <span>${t(/** @type {any} */ (`line.resumed.${entry.cause}`), { n: entry.attempt })}</span>
        </span>
      </li>`;
    case "error":
      return html`<li class="bad">
        <${Icon} name="warn" />
        <span class="line-plain"><span>${serverSentence(entry)}</span></span>
      </li>`;
    default:
      return html`<li>
        <${Icon} name="info" />
        <span class="line-plain"><span>${guardSentence(entry)}</span></span>
      </li>`;
  }
}

/** @param {any} entry */
const questionOf = ({ of, tool, question }) => askedSentence({ kind: of, tool, question });

/** Why a model call failed. @param {any} entry */
const reasonOf = ({ code, params, why }) => serverSentence({ code, params, message: why });

/** @param {number} ms */
const round = (ms) => (ms < 1000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000));
