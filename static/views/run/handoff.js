// @ts-check
/** Hand-off panel of a run that needs a person: question or failure, progress, actions. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import { t } from "../../i18n/run.js";
import * as api from "../../net/api.js";
import * as runsApi from "../../net/runs_api.js";
import {
  buttonsOf,
  costWords,
  handoffKind,
  lastSteps,
  runDuration,
  sinceWords,
  handoffWords,
} from "../../state/handoff.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";
import { Fault } from "../common/shell.js";
import { Line } from "./activity_line.js";
import { AnswerForm, discardDraft } from "./handoff_answer.js";

/** @import { Offer, Run, RunDetail } from "../../types.d.ts" */
/** @import { Kind } from "../../state/handoff.js" */

/**
 * @param {{
 *   runId: string,
 *   row: Run | null,
 *   turn: string,
 *   isPage?: boolean,
 *   isExplained?: boolean,
 *   onRow: (row: Run) => void,
 *   onRetried: (row: Run) => void,
 *   onDiscarded: () => void,
 * }} props `row`: if it is loaded already; `turn`: changes when the run asks or stops again; `isExplained`: the screen
 *   shows elsewhere why it failed, with the way to try again
 */
export function Handoff({ runId, row, turn, isPage, isExplained, onRow, onRetried, onDiscarded }) {
  const detail = useSignal(/** @type {RunDetail | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(/** @type {Offer | null} */ (null));
  const refusal = useSignal(/** @type {string | null} */ (null));
  const answered = useSignal(false);
  const doomed = useSignal(false);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const heading = useRef(/** @type {HTMLElement | null} */ (null));

  const load = async () => {
    try {
      detail.value = await api.run(runId);
      problem.value = null;
    } catch (error) {
      problem.value =
        /** @type {any} */ (error).status === 404 ? t("handoff.gone") : /** @type {Error} */ (error).message;
    }
  };
  useEffect(() => {
    detail.value = null;
    answered.value = false;
    load();
  }, [runId, turn]);
  useLayoutEffect(
    () => () => {
      // on close the focus must not be lost
      if (box.current?.contains(document.activeElement))
        document.getElementById("main")?.focus({ preventScroll: true });
    },
    [],
  );

  const run = detail.value ?? row;
  const kind = run && handoffKind(run);
  useEffect(() => {
    if (isPage && kind) heading.current?.focus({ preventScroll: true });
  }, [isPage, runId, Boolean(kind)]);
  if (detail.value && !kind) return ""; // it moved on; the stream says so in a moment
  if (!run || !kind)
    return problem.value
      ? html`<${Fault} message=${problem.value} onRetry=${load} />`
      : html`<p class="act-note t13 dim" role="status">${t("handoff.loading")}</p>`;

  /** @param {Offer} what @param {() => Promise<Run>} job @param {(row: Run) => void} then */
  const act = async (what, job, then) => {
    if (busy.value) return;
    busy.value = what;
    refusal.value = null;
    try {
      then(await job());
    } catch (error) {
      const { status, message } = /** @type {any} */ (error);
      refusal.value =
        status === 409
          ? t(what === "answer" ? "handoff.asked_no_more" : "handoff.moved_on")
          : status === 404
            ? t("handoff.gone")
            : message;
      if (status === 409) load();
    } finally {
      busy.value = null;
    }
  };
  const answer = (/** @type {string} */ words, /** @type {string} */ result) =>
    act(
      "answer",
      () => runsApi.answer(runId, words, result || undefined),
      (next) => {
        discardDraft(runId);
        answered.value = true;
        onRow(next);
      },
    );
  const doing = {
    resume: () => act("resume", () => runsApi.resume(runId), onRow),
    retry: () => act("retry", () => runsApi.retry(runId), onRetried),
    discard: async () => {
      doomed.value = true;
    },
    cancel: () => act("cancel", () => api.cancel(runId), onRow),
  };
  const discard = () => act("discard", () => runsApi.discard(runId), onDiscarded);
  const asks = run.offers.includes("answer") && run.question;
  const words = handoffWords(kind, run);
  const isSaid = isExplained && (kind === "failed" || kind === "timed_out");
  const inFault = kind === "failed" && run.offers.includes("retry");
  const Title = isPage ? "h2" : "h3";
  const buttons = buttonsOf(run).filter((offer) => !((isSaid || inFault) && offer === "retry"));

  return html`<section class=${isPage ? "handoff page" : "handoff"} aria-label=${t("handoff.label")} ref=${box}>
    ${
      run.question &&
      kind !== "failed" &&
      kind !== "timed_out" &&
      html`<p class="chip wait wrap-chip">
        <${Icon} name="hourglass" small />
        ${t("handoff.since", { time: sinceWords(run.question.since, api.serverNow()) })}
      </p>`
    }
    ${
      !isSaid &&
      (kind === "failed"
        ? html`
            ${isPage && html`<h2 class="t18">${t("handoff.failed")}</h2>`}
            <div tabindex="-1" ref=${heading}>
              <${Fault}
                message=${words.title}
                onRetry=${inFault ? doing.retry : undefined}
                busy=${busy.value === "retry"}
                isFilled
              >
                <p class="t13 dim">${words.why}</p>
              <//>
            </div>
          `
        : html`
          <${Title} class=${asks ? "say-lg" : "t18"} tabindex="-1" ref=${heading}>${words.title}<//>
          ${words.why && html`<p class="dim handoff-why">${words.why}</p>`}
        `)
    }
    ${
      (kind === "permission" || kind === "in_doubt") &&
      run.question?.tool &&
      html`<${Call} kind=${kind} tool=${run.question.tool} input=${run.question.input} />`
    }
    ${
      asks &&
      html`<${AnswerForm}
        key=${`${turn}${run.question?.since}`}
        runId=${runId}
        kind=${kind}
        choices=${run.question?.choices ?? []}
        busy=${busy.value === "answer"}
        isSent=${answered.value}
        onAnswer=${answer}
      />`
    }
    <div role="status">
      ${
        answered.value &&
        html`<p class="chip leaf wrap-chip"><${Icon} name="check" small />${t("handoff.answered")}</p>`
      }
    </div>
    ${refusal.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal.value}</span></p>`}
    ${
      buttons.length > 0 &&
      html`<div class="row handoff-foot">
        ${buttons.map(
          (offer) => html`<${OfferButton}
            key=${offer}
            offer=${offer}
            isFirst=${!asks && offer === buttons[0] && (offer === "resume" || offer === "retry")}
            busy=${busy.value}
            onPress=${doing[offer]}
          />`,
        )}
      </div>`
    }
    <${Reached} run=${run} detail=${detail.value} isPage=${isPage} />
    ${
      problem.value &&
      html`<p class="err" role="alert">
        <${Icon} name="warn" small />
        <span>${problem.value} <button class="link" type="button" onClick=${load}>${t("error.retry")}</button></span>
      </p>`
    }
    ${
      doomed.value &&
      html`<${DiscardDialog}
        busy=${busy.value === "discard"}
        onDiscard=${async () => {
          await discard();
          doomed.value = false;
        }}
        onClose=${() => {
          doomed.value = false;
        }}
      />`
    }
  </section>`;
}

/** @type {Record<Exclude<Offer, "answer">, import("../../i18n/run.js").Key>} */
const DOING = {
  resume: "handoff.resuming",
  retry: "handoff.retrying",
  discard: "handoff.discarding",
  cancel: "handoff.cancelling",
};

/** @type {Record<Exclude<Offer, "answer">, string>} */
const BUTTON_KINDS = { resume: "", retry: "", discard: "flat stop", cancel: "stop" };

/** @param {{ offer: Exclude<Offer, "answer">, isFirst: boolean, busy: Offer | null, onPress: () => void }} props */
const OfferButton = ({ offer, isFirst, busy, onPress }) => html`<button
  class=${`btn sm ${isFirst ? "go" : BUTTON_KINDS[offer]}`}
  type="button"
  disabled=${busy !== null}
  aria-busy=${busy === offer || undefined}
  onClick=${onPress}
>
  ${offer === "discard" && html`<${Icon} name="trash" small />`}
  ${t(busy === offer ? DOING[offer] : `handoff.${offer}`)}
</button>`;

/**
 * The tool call that a question is about.
 * @param {{ kind: Kind, tool: string, input: Record<string, any> | null }} props
 */
const Call = ({ kind, tool, input }) => html`<dl class="io handoff-call">
  <dt>${t(kind === "permission" ? "handoff.tool" : "handoff.tool_in_doubt", { tool: tool.replaceAll("_", " ") })}</dt>
  <dd><pre tabindex="0">${JSON.stringify(input ?? {}, null, 2)}</pre></dd>
</dl>`;

/**
 * What the run had reached: its journal, its last steps, what it used.
 * @param {{ run: Run, detail: RunDetail | null, isPage?: boolean }} props
 */
function Reached({ run, detail, isPage }) {
  const journal = detail?.journal;
  const lines = detail ? lastSteps(detail) : [];
  const parts = /** @type {const} */ (["objective", "reached", "next"]).filter((part) => journal?.[part]);
  const words = (/** @type {(typeof parts)[number]} */ part) =>
    journal && serverSentence({ code: journal.codes[part], params: journal.params, message: journal[part] });
  const Title = isPage || run.state === "failed" ? "h3" : "h4"; // a failure has no heading of its own in the panel
  const length = runDuration(run, api.serverNow());
  return html`<div class="reached">
    ${
      parts.length > 0 &&
      html`
        <${Title}>${t("handoff.journal")}<//>
        <dl class="facts">${parts.map((part) => html`<dt>${t(`handoff.${part}`)}</dt><dd>${words(part)}</dd>`)}</dl>
      `
    }
    ${
      lines.length > 0 &&
      html`<details open=${isPage}>
        <summary>${t("handoff.last")}</summary>
        <ul class="lines">
          ${lines.map(
            (line) => html`<${Line} key=${line.key} line=${line} nowMs=${0} isOver=${true} withText=${true} />`,
          )}
        </ul>
      </details>`
    }
    <p class="t13 dimmer">${commaJoined([length, costWords(run)])}</p>
  </div>`;
}

/** @param {{ busy: boolean, onDiscard: () => void, onClose: () => void }} props */
const DiscardDialog = ({
  busy,
  onDiscard,
  onClose,
}) => html`<${Dialog} title=${t("handoff.discard_title")} onClose=${onClose}>
  <p class="dim">${t("handoff.discard_text")}</p>
  <div class="row dialog-foot">
    <button class="btn stop" type="button" disabled=${busy} aria-busy=${busy || undefined} onClick=${onDiscard}>
      ${t(busy ? "handoff.discarding" : "handoff.discard")}
    </button>
    <button class="btn" type="button" autofocus onClick=${onClose}>${t("handoff.discard_keep")}</button>
  </div>
<//>`;
