// @ts-check
/** Open question of a review, with its answer, "I don't know" and skip docked below. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t as learn } from "../../i18n/learn.js";
import { t } from "../../i18n/review.js";
import { onCtrlEnter, typedInto } from "../../lib/fields.js";
import { html } from "../../lib/html.js";
import { deleteDraft, loadDraft, saveDraft } from "../../state/drafts.js";
import { startStopwatch } from "../../state/visible_time.js";
import { Options } from "../common/choice_options.js";
import { Icon } from "../common/icons.js";
import { Sure } from "../common/sure.js";
import { Dictate } from "../common/voice.js";
import { Waiting } from "../common/waiting.js";
import { Markdown } from "../rich/markdown.js";

/** @import { OpenReview } from "../../state/review.js" */
/** @import { ReviewQuestion } from "../../types.d.ts" */

const FORMS = /** @type {const} */ ({ number: "rv.form_number", term: "rv.form_term", words: "rv.form_words" });

/** @param {{ opened: OpenReview, question: ReviewQuestion, ways?: string }} props `ways`: what its buttons do, in words */
export function QuestionForm({ opened, question, ways }) {
  const options = question.options ?? [];
  const begun = loadDraft(question.itemId);
  const words = useSignal(options.length ? "" : begun);
  const option = useSignal(options.includes(begun) ? begun : null);
  const sure = useSignal(false);
  const missing = useSignal(/** @type {string | null} */ (null));
  /** Whether what is being sent is an answer, which takes its time to be read. */
  const isAnswer = useSignal(false);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const stopwatch = useMemo(startStopwatch, []);
  const busy = opened.busy.value !== null;
  useEffect(() => stopwatch.stop, []);
  useEffect(() => {
    saveDraft(question.itemId, option.value ?? words.value);
  }, [words.value, option.value]);
  useLayoutEffect(() => {
    (field.current ?? heading.current)?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);

  const send = async (/** @type {{ answerText?: string, selectedOption?: string, sure?: boolean }} */ given) => {
    isAnswer.value = Boolean(given.answerText ?? given.selectedOption);
    const answered = await opened.answer(question.itemId, { ...given, seconds: stopwatch.seconds() });
    if (answered !== null) deleteDraft(question.itemId);
  };
  const skip = async () => {
    isAnswer.value = false;
    if ((await opened.skip(question.itemId)) !== null) deleteDraft(question.itemId);
  };
  const isRead = busy && isAnswer.value;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (busy) return;
    const text = words.value.trim();
    missing.value = null;
    if (options.length && option.value !== null)
      send({ selectedOption: option.value, ...(sure.value && { sure: true }) });
    else if (!options.length && text) send({ answerText: text });
    else {
      missing.value = learn(options.length ? "dg.pick" : "dg.empty");
      field.current?.focus();
    }
  };
  const problem = missing.value ?? opened.refusal.value;
  return html`<form class="rv-q" onSubmit=${submit} aria-busy=${busy || undefined}>
    <p class="rv-of">${sourceOf(question)}</p>
    <div class="say-lg" tabindex="-1" ref=${heading} role="heading" aria-level="1">
      <${Markdown} text=${question.prompt} />
    </div>
    ${
      options.length
        ? html`<${Options}
          name="option"
          legend=${learn("dg.choose")}
          options=${options}
          chosen=${option.value}
          off=${busy}
          onChosen=${(/** @type {string} */ one) => {
            option.value = one;
            missing.value = null;
          }}
        /><${Sure}
          isSure=${sure.value}
          off=${busy}
          onSure=${(/** @type {boolean} */ is) => {
            sure.value = is;
          }}
        />`
        : html`
          <label class="vh" for="rv-words">${t("rv.answer_label")}</label>
          <div class="voiced">
            <textarea
              class="field"
              id="rv-words"
              rows="2"
              maxlength="8000"
              ref=${field}
              readonly=${busy}
              value=${words.value}
              onInput=${typedInto(words)}
              onKeyDown=${onCtrlEnter(submit)}
              aria-invalid=${problem ? "true" : undefined}
              aria-describedby="rv-form"
            ></textarea>
            <${Dictate}
              field=${field}
              about=${question.prompt}
              off=${busy}
              onWords=${(/** @type {string} */ text) => {
                words.value = text;
              }}
            />
          </div>
          ${question.form !== "choice" && html`<p class="t13 dim rv-form" id="rv-form">${t(FORMS[question.form])}</p>`}
        `
    }
    ${problem && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem}</span></p>`}
    ${isRead && html`<${Waiting} words=${learn("tu.marking")} />`}
    <div class="rv-foot">
      <div class="rv-acts">
        <button class="btn go" type="submit" disabled=${busy} aria-busy=${isRead || undefined}>
          ${learn("dg.answer")}
          <kbd class="hide-s" aria-hidden="true">${learn(options.length ? "dg.key" : "dg.keys")}</kbd>
        </button>
        <button class="btn" type="button" disabled=${busy} onClick=${() => send({})}>${learn("dg.idk")}</button>
        <button class="btn flat" type="button" disabled=${busy} onClick=${skip}>
          ${learn("dg.skip")}
        </button>
      </div>
      ${ways && html`<p class="t13 dim rv-ways">${ways}</p>`}
    </div>
  </form>`;
}

/** Where the question comes from. @param {ReviewQuestion} question */
function sourceOf({ path, concept, covers, comesBack }) {
  if (comesBack) return t("rv.comes_back");
  return covers.length ? t("rv.covers", { concept, n: covers.length }) : t("rv.of", { path, concept });
}
