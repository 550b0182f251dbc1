// @ts-check
/** Questions of files for a concept: chosen, sent, and what came of them. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../i18n/questions.js";
import { html } from "../../lib/html.js";
import { serverSentence } from "../../lib/server_words.js";
import { ApiError } from "../../net/api.js";
import { importQuestions } from "../../net/questions_api.js";
import { AnkiDeck } from "../common/anki_deck.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";

/** @import { ImportedQuestions } from "../../types.d.ts" */
/** @import { GraphNode } from "../../state/graph.js" */

const ENDINGS = ".apkg,.colpkg,.gift,.txt,.tsv,.csv,.xml,.zip";

/**
 * Button that opens the dialog, and one that saves the concept's cards for Anki.
 * @param {{ concept: GraphNode, isBegun: boolean }} props
 */
export function QuestionFiles({ concept, isBegun }) {
  const isOpen = useSignal(false);
  const show = (/** @type {boolean} */ open) => () => {
    isOpen.value = open;
  };
  return html`<button class="btn flat sm qf-open" type="button" onClick=${show(true)}>
      <${Icon} name="upload" small />
      ${t("qf.open")}
    </button>
    ${isBegun && html`<${AnkiDeck} label=${t("qf.anki")} nodeId=${concept.id} look="btn flat sm qf-open" />`}
    ${isOpen.value && html`<${QuestionFileDialog} concept=${concept} onClose=${show(false)} />`}`;
}

/** @param {{ concept: GraphNode, onClose: () => void }} props */
function QuestionFileDialog({ concept, onClose }) {
  const busy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const result = useSignal(/** @type {ImportedQuestions | null} */ (null));
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const send = async (/** @type {File[]} */ files) => {
    if (!files.length) return;
    [busy.value, problem.value, result.value] = [true, null, null];
    try {
      result.value = await importQuestions(concept.id, files);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = error.message;
    } finally {
      busy.value = false;
    }
  };
  return html`<${Dialog} title=${t("qf.title", { title: concept.title })} onClose=${onClose}>
    <p class="dim">${t("qf.says")}</p>
    <div role="status">${result.value && html`<${Result} found=${result.value} />`}</div>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`}
    <input
      class="vh"
      type="file"
      multiple
      accept=${ENDINGS}
      ref=${picker}
      tabindex="-1"
      aria-hidden="true"
      onChange=${(/** @type {any} */ event) => {
        send([...event.target.files]);
        event.target.value = "";
      }}
    />
    <div class="row dialog-foot">
      <button
        class="btn ${result.value ? "" : "go"}"
        type="button"
        disabled=${busy.value}
        aria-busy=${busy.value || undefined}
        onClick=${() => picker.current?.click()}
      >
        ${busy.value ? t("qf.reading") : t(result.value ? "qf.again" : "qf.choose")}
      </button>
      <button class="btn" type="button" onClick=${onClose}>${t("qf.close")}</button>
    </div>
  <//>`;
}

/** @param {{ found: ImportedQuestions }} props */
function Result({ found }) {
  const more = found.leftOutCount - found.leftOut.length;
  return html`<p>
      ${found.added ? t("qf.added", { n: found.added }) : t("qf.none")}
      ${found.alreadyThere > 0 && ` ${t("qf.there", { n: found.alreadyThere })}`}
      ${found.leftOutCount > 0 && ` ${t("qf.left", { n: found.leftOutCount })}`}
    </p>
    ${
      found.leftOut.length > 0 &&
      html`<ul class="qf-left t13" tabindex="0">
        ${found.leftOut.map(
          (one, at) => html`<li key=${at}>
            ${one.name && html`<strong>${one.name}</strong> `}
            <span class="dim">${serverSentence({ code: one.code, message: one.why })}</span>
          </li>`,
        )}
        ${more > 0 && html`<li class="dim">${t("qf.more", { n: more })}</li>`}
      </ul>`
    }`;
}
