// @ts-check
/** Diagnostic screen: one question at a time, then the results. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { onCtrlEnter } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { splitPrompt } from "../../lib/prompt_parts.js";
import { openDiagnostic, optionsOf } from "../../state/diagnostic.js";
import { loadDraft, deleteDraft, saveDraft } from "../../state/drafts.js";
import { inLearningOrder, partsOf } from "../../state/graph.js";
import { homeUrl, pathsUrl, pathUrl } from "../../state/router.js";
import { ContestDialog } from "../common/contest_dialog.js";
import { Icon } from "../common/icons.js";
import { Mark } from "../common/node_state_shapes.js";
import { Options } from "../common/choice_options.js";
import { Sure } from "../common/sure.js";
import { Dictate } from "../common/voice.js";
import { usePathContext } from "../common/path_context.js";
import { EmptyScreen, Fault, Loading, Shell } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";
import { FirstLesson } from "./first_lesson.js";
import { Results } from "./results.js";

/** @import { OpenDiagnostic } from "../../state/diagnostic.js" */
/** @import { GraphNode } from "../../state/graph.js" */
/** @import { AskedQuestion } from "../../types.d.ts" */

/** @param {{ branchId: string, conceptId: string }} props */
export function DiagnosticScreen({ branchId, conceptId }) {
  const opened = useMemo(() => openDiagnostic(branchId, conceptId), [branchId, conceptId]);
  useEffect(() => opened.close, [opened]);
  const around = usePathContext(branchId);
  const concept = around.value?.all.get(conceptId);
  const title = around.value?.title ?? "";
  useEffect(() => {
    if (concept) document.title = t("dg.page", { title: concept.title });
  }, [concept?.title]);
  const back = pathUrl(branchId, conceptId);
  const crumbs = [
    { title: common("nav.paths"), url: pathsUrl() },
    { title, url: pathUrl(branchId) },
    ...(concept ? [{ title: concept.title, url: back }] : []),
    { title: t("dg.crumb"), url: null },
  ];
  const parts = around.value ? inLearningOrder(partsOf(around.value.all, conceptId)) : [];
  const question = opened.current.value;
  const later = question && html`<a class="btn flat sm" href=${back}>${t("dg.later")}</a>`;
  return html`<${Shell} crumbs=${crumbs} tools=${later}>${body()}<//>`;

  function body() {
    const problem = /** @type {any} */ (opened.problem.value);
    if (problem?.status === 404)
      return html`<${EmptyScreen} title=${common("error.gone")} text=${common("not_found.text")}>
        <p><a href=${homeUrl()}>${common("not_found.home")}</a></p>
      <//>`;
    if (problem)
      return html`<div class="wrap blank"><${Fault} message=${problem.message} onRetry=${opened.load} /></div>`;
    if (opened.loading.value) return html`<${Loading} words=${t("dg.loading")} />`;
    if (opened.isEmpty.value) return html`<${NothingToAsk} branchId=${branchId} conceptId=${conceptId} />`;
    if (!opened.questions.value.length)
      return html`<${EmptyScreen} title=${t("dg.none_title")} text=${t("dg.none")}>
        <p role="status"><span class="pulse"></span></p>
        <p><a href=${back}>${t("rs.back")}</a></p>
      <//>`;
    if (question)
      return html`<${QuestionForm}
        key=${question.id}
        opened=${opened}
        question=${question}
        concept=${concept}
        parts=${parts}
      />`;
    return html`<${Results} opened=${opened} around=${around.value} />`;
  }
}

/**
 * In place of questions, where a concept gives none: its first lesson.
 * @param {{ branchId: string, conceptId: string }} props
 */
const NothingToAsk = ({ branchId, conceptId }) => html`<${EmptyScreen} title=${t("dg.bare_title")} text=${t("dg.bare")}>
  <p><${FirstLesson} conceptId=${conceptId} /></p>
  <p><a href=${pathUrl(branchId, conceptId)}>${t("rs.back")}</a></p>
<//>`;

/**
 * @param {{ opened: OpenDiagnostic, question: AskedQuestion, concept: GraphNode | undefined, parts: GraphNode[] }}
 *   props
 */
function QuestionForm({ opened, question, concept, parts }) {
  const options = optionsOf(question);
  const begun = loadDraft(question.id);
  const words = useSignal(begun);
  const option = useSignal(options.includes(begun) ? begun : null);
  const sure = useSignal(false);
  const missing = useSignal(/** @type {string | null} */ (null));
  const contesting = useSignal(false);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const all = opened.questions.value;
  const at = all.findIndex((each) => each.id === question.id) + 1;
  const busy = opened.busy.value;

  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  const choose = (/** @type {string} */ one) => {
    option.value = one;
    saveDraft(question.id, one);
  };
  const refused = opened.refusal.value;
  useEffect(() => {
    if (refused && document.activeElement === document.body)
      (field.current ?? heading.current)?.focus({ preventScroll: true });
  }, [refused, busy]);

  const send = async (/** @type {{ answerText?: string, selectedOption?: string, sure?: boolean }} */ given) => {
    if (await opened.answer(question, given)) deleteDraft(question.id);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = words.value.trim();
    if (options.length ? !option.value : !text) {
      missing.value = t(options.length ? "dg.pick" : "dg.empty");
      field.current?.focus();
      return;
    }
    missing.value = null;
    if (!options.length) return send({ answerText: text });
    return send({ selectedOption: option.value ?? "", ...(sure.value && { sure: true }) });
  };
  const write = (/** @type {string} */ text) => {
    words.value = text;
    saveDraft(question.id, text);
  };

  const { given, asked: asks } = splitPrompt(question.prompt);
  return html`<div class="dg">
    <section aria-labelledby="asked">
      <${Progress} at=${at} n=${all.length} saved=${busy !== "answer"} />
      <div class="dg-q" id="asked" tabindex="-1" ref=${heading} role="heading" aria-level="1">
        ${given && html`<div class="dg-given"><${Markdown} text=${given} /></div>`}
        <div class="say-lg"><${Markdown} text=${asks} /></div>
      </div>
      <form onSubmit=${submit}>
        ${
          options.length
            ? html`<${Options}
              name="option"
              legend=${t("dg.choose")}
              options=${options}
              chosen=${option.value}
              off=${busy !== null}
              onChosen=${choose}
            /><${Sure}
              isSure=${sure.value}
              off=${busy !== null}
              onSure=${(/** @type {boolean} */ is) => {
                sure.value = is;
              }}
            />`
            : html`
              <label class="vh" for="words">${t("dg.answer_label")}</label>
              <div class="voiced">
                <textarea
                  class="field"
                  id="words"
                  rows="4"
                  maxlength="8000"
                  ref=${field}
                  readonly=${busy !== null}
                  value=${words.value}
                  onInput=${(/** @type {any} */ event) => write(event.target.value)}
                  onKeyDown=${onCtrlEnter(submit)}
                  aria-invalid=${missing.value ? "true" : undefined}
                ></textarea>
                <${Dictate} field=${field} about=${question.prompt} off=${busy !== null} onWords=${write} />
              </div>
            `
        }
        ${
          (missing.value ?? opened.refusal.value) &&
          html`<p class="err" role="alert">
            <${Icon} name="warn" small />
            <span>${missing.value ?? opened.refusal.value}</span>
          </p>`
        }
        <div class="row dg-foot">
          <div class="row dg-go">
            <button class="btn go" type="submit" disabled=${busy !== null} aria-busy=${busy === "answer" || undefined}>
              ${t(busy === "answer" ? "dg.sending" : "dg.answer")}
              <kbd class="hide-s" aria-hidden="true">${options.length ? t("dg.key") : t("dg.keys")}</kbd>
            </button>
            <button
              class="btn"
              type="button"
              disabled=${busy !== null}
              onClick=${() => send({ answerText: t("dg.idk") })}
            >
              ${t("dg.idk")}
            </button>
            <button class="btn flat" type="button" disabled=${busy !== null} onClick=${() => opened.skip(question)}>
              ${t("dg.skip")}
            </button>
          </div>
          <button
            class="btn flat dg-flag"
            type="button"
            disabled=${busy !== null}
            onClick=${() => {
              contesting.value = true;
            }}
          >
            <${Icon} name="flag" small />
            ${t("dg.wrong")}
          </button>
        </div>
      </form>
      ${
        contesting.value &&
        html`<${ContestDialog}
          busy=${busy === "contest"}
          refusal=${opened.refusal.value}
          onSend=${(/** @type {string} */ reason) => opened.contest(question, reason)}
          onClose=${(/** @type {boolean} */ wasSent) => {
            contesting.value = false;
            if (wasSent) opened.load();
          }}
        />`
      }
    </section>
    <${About} concept=${concept} parts=${parts} />
  </div>`;
}

const LEAF = html`<svg viewBox="0 0 12 12" aria-hidden="true">
  <path d="M1 11.5C.5 5.5 4 .5 11 .5c.5 7-4 11-10 11Z" />
</svg>`;

/**
 * The concept's parts, and a note on marking.
 * @param {{ concept: GraphNode | undefined, parts: GraphNode[] }} props
 */
const About = ({ concept, parts }) => html`<aside class="dg-about" aria-label=${t("dg.about")}>
  <h2>${t("dg.about")}</h2>
  <p class="dg-concept">${concept?.title}</p>
  <ul>
    ${parts.map(
      (part) => html`<li key=${part.id}><${Mark} state=${part.state} mastery=${part.mastery} />${part.title}</li>`,
    )}
  </ul>
  <p class="reason">${t("dg.later_marks")}</p>
</aside>`;

/** @param {{ isDone: boolean, isNow: boolean }} props */
function ProgressLeaf({ isDone, isNow }) {
  if (isDone) return html`<i class="done">${LEAF}</i>`;
  return html`<i class=${isNow ? "now" : ""}></i>`;
}

/** Progress bar with a leaf for each answer. @param {{ at: number, n: number, saved: boolean }} props */
const Progress = ({ at, n, saved }) => html`<div class="dg-progress">
  <span>${t("dg.progress", { at, n })}</span>
  <span
    class="dg-track"
    role="progressbar"
    aria-label=${t("dg.title")}
    aria-valuemin="0"
    aria-valuemax=${n}
    aria-valuenow=${at - 1}
  >
    <b style=${{ inlineSize: `${n > 1 ? ((at - 1) / (n - 1)) * 100 : 0}%` }}></b>
    ${Array.from({ length: n }, (_, i) => i + 1).map(
      (each) => html`<${ProgressLeaf} key=${each} isDone=${each < at} isNow=${each === at} />`,
    )}
  </span>
  <span class="status">${saved && at > 1 && html`<${Icon} name="check" small />${t("dg.saved")}`}</span>
</div>`;
