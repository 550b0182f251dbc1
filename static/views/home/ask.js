// @ts-check
/** Form for a new path: topic, notes, size. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/home.js";
import { requestOf, addFiles } from "../../lib/file_selection.js";
import { modelName, money, size } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { toldModel, isUnfit } from "../../lib/model_fitness.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import * as documentsApi from "../../net/documents_api.js";
import * as pathsApi from "../../net/paths_api.js";
import { alternatives } from "../../net/topics_api.js";
import { TOPIC_DRAFT, loadDraft, deleteDraft, saveDraft } from "../../state/drafts.js";
import { navigate, pathUrl } from "../../state/router.js";
import { standing } from "../../state/unknown_topic.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { Fault } from "../common/shell.js";

/** @import { Signal } from "@preact/signals" */
/** @import { UnknownTopic } from "../../state/unknown_topic.js" */
/** @import { Estimate, Status } from "../../types.d.ts" */
/** @typedef {"checking" | "creating" | "uploading" | "starting"} Step */

const waysOn = lazy(async () => {
  const [{ WaysOn }] = await Promise.all([import("./ways_on.js"), loadSheet("styles/ways.css")]);
  return WaysOn;
});

/** Whether files can be dragged here: a finger cannot. */
const CAN_DROP = !matchMedia("(pointer: coarse)").matches;

/** Upload limits until the server's are loaded. */
const LIMITS = {
  uploadMaxBytes: 10 * 1024 ** 2,
  uploadMaxFiles: 10,
  uploadTypes: [".pdf", ".docx", ".pptx", ".html", ".htm", ".md", ".markdown", ".txt"],
};

/**
 * @param {{ status: Status | null, asked: string | null, refusal: Signal<UnknownTopic | null>, isNext: boolean }} props
 * `asked`: a chosen suggestion, submitted at once; `isNext`: nothing else comes next, so that this button is the filled one
 */
export function AskForm({ status, asked, refusal, isNext }) {
  const words = useSignal(loadDraft(TOPIC_DRAFT));
  const files = useSignal(/** @type {File[]} */ ([]));
  const refused = useSignal(/** @type {string[]} */ ([]));
  const small = useSignal(false);
  const step = useSignal(/** @type {Step | null} */ (null));
  const sent = useSignal(0);
  const problem = useSignal(/** @type {string | null} */ (null));
  const empty = useSignal(false);
  const dragging = useSignal(0);
  const input = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const limits = status?.limits ?? LIMITS;

  useEffect(() => {
    // files chosen before the limits were loaded
    const result = addFiles([], files.value, limits);
    if (!result.refused.length) return;
    files.value = result.files;
    refused.value = [...refused.value, ...result.refused];
  }, [limits]);

  const add = (/** @type {Iterable<File>} */ chosen) => {
    const result = addFiles(files.value, [...chosen], limits);
    files.value = result.files;
    refused.value = result.refused;
    empty.value = false;
  };

  const submit = async () => {
    if (step.value) return;
    const { title, desc } = requestOf(words.value, files.value);
    empty.value = !title;
    if (!title) return input.current?.focus();
    await attempt(async () => {
      step.value = "checking";
      const courses = files.value.length ? null : await alternatives(title);
      refusal.value = courses && { topic: title, courses };
      if (courses) return;
      const url = await create(title, desc, files.value);
      deleteDraft(TOPIC_DRAFT);
      navigate(url);
    });
  };
  /** @param {string} title the words in the field stay a draft: they are about something else */
  const choose = (title) => attempt(async () => navigate(await create(title, null, [])));

  /** @param {string} title @param {string | null} desc @param {File[]} notes */
  const create = (title, desc, notes) =>
    createPath(
      title,
      desc,
      notes,
      small.value,
      (now) => {
        step.value = now;
      },
      (share) => {
        sent.value = share;
      },
    );
  /** @param {() => Promise<void>} work */
  const attempt = async (work) => {
    problem.value = null;
    try {
      await work();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      step.value = null;
    }
  };

  useEffect(() => {
    if (!asked) return;
    words.value = asked;
    submit();
  }, [asked]);

  useEffect(() => {
    refusal.value = standing(refusal.value, words.value, files.value);
  }, [words.value, files.value]);

  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    dragging.value = 0;
    add(event.dataTransfer?.files ?? []);
  };
  const enter = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  const isSizeOfNotes = status?.model.offline && files.value.length > 0;

  return html`<div>
    <h1>${t("ask.title")}</h1>
    <form
      class=${dragging.value > 0 ? "ask dropping" : "ask"}
      aria-label=${t("ask.form")}
      novalidate
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      }}
      onDragEnter=${(/** @type {DragEvent} */ event) => {
        if (hasFiles(event)) {
          event.preventDefault();
          dragging.value++;
        }
      }}
      onDragOver=${(/** @type {DragEvent} */ event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDragLeave=${() => {
        dragging.value = Math.max(0, dragging.value - 1);
      }}
      onDrop=${drop}
    >
      <label class="vh" for="topic">${t("ask.label")}</label>
      <textarea
        id="topic"
        ref=${input}
        rows="2"
        placeholder=${status ? t(status.model.offline ? "ask.placeholder_offline" : "ask.placeholder") : ""}
        value=${words.value}
        maxlength="4000"
        disabled=${Boolean(step.value)}
        aria-invalid=${empty.value || undefined}
        aria-describedby="ask-says"
        onKeyDown=${enter}
        onInput=${(/** @type {any} */ event) => {
          words.value = event.target.value;
          saveDraft(TOPIC_DRAFT, words.value);
          empty.value = false;
        }}
      ></textarea>
      <${Notes} files=${files} busy=${Boolean(step.value)} />
      <div class="ask-foot">
        <input
          class="vh"
          type="file"
          multiple
          accept=${limits.uploadTypes.join(",")}
          ref=${picker}
          tabindex="-1"
          aria-hidden="true"
          onChange=${(/** @type {any} */ event) => {
            add(event.target.files);
            event.target.value = "";
          }}
        />
        <button
          class="btn flat sm"
          type="button"
          disabled=${Boolean(step.value)}
          onClick=${() => picker.current?.click()}
        >
          <${Icon} name="upload" small />
          ${dragging.value > 0 ? t("ask.drop") : t(CAN_DROP ? "ask.add_notes" : "ask.add_files")}
        </button>
        <span class="sp hide-s"></span>
        <div class="seg" role="group" aria-label=${t("ask.size")}>
          <button
            type="button"
            aria-pressed=${String(small.value)}
            onClick=${() => {
              small.value = true;
            }}
          >
            ${t("ask.short")}
          </button>
          <button
            type="button"
            aria-pressed=${String(!small.value)}
            onClick=${() => {
              small.value = false;
            }}
          >
            ${t("ask.full")}
          </button>
        </div>
        <button
          class=${isNext ? "btn go" : "btn"}
          type="submit"
          disabled=${Boolean(step.value)}
          aria-busy=${Boolean(step.value) || undefined}
        >
          ${stepWords(step.value, sent.value)}
        </button>
      </div>
    </form>
    <div id="ask-says">
      ${empty.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${t("ask.empty")}</p>`}
      ${refused.value.map(
        (reason) => html`<p class="err" role="alert" key=${reason}>
          <${Icon} name="warn" small />
          <span>${reason}</span>
        </p>`,
      )}
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${submit} busy=${Boolean(step.value)} />`}
      ${
        status &&
        !status.model.ready &&
        html`<p class="err"><${Icon} name="warn" small /><span>${status.model.note ?? t("model.not_ready")}</span></p>`
      }
      ${status && html`<${Fitness} status=${status} small=${small.value} />`}
      ${
        status &&
        html`<p class="cost">
          <${Icon} name="clock" small />
          <span>
            ${isSizeOfNotes && !small.value ? t("cost.offline_notes") : costLine(status, small.value)}
            ${!isSizeOfNotes && html`<span class="dimmer"> ${otherSize(status, small.value)}</span>`}
          </span>
        </p>`
      }
    </div>
    ${
      refusal.value &&
      html`<${waysOn.View}
        refusal=${refusal.value}
        busy=${Boolean(step.value)}
        onAddNotes=${() => picker.current?.click()}
        onChoose=${choose}
      />`
    }
  </div>`;
}

/** What was found out about the model, where it matters here. @param {{ status: Status, small: boolean }} props */
function Fitness({ status, small }) {
  const told = toldModel(status, small);
  if (!told) return null;
  const unfit = isUnfit(told.fitness);
  const { minutes } = status.estimate[small ? "small" : "full"];
  const values = { model: modelName(told.model, false), minutes: common("cost.minutes", { n: minutes }) };
  return html`<p class=${unfit ? "err" : "cost"}>
    <${Icon} name=${unfit ? "warn" : "clock"} small /><span>${t(`fit.${told.fitness}`, values)}</span>
  </p>`;
}

/** @param {{ files: import("@preact/signals").Signal<File[]>, busy: boolean }} props */
const Notes = ({ files, busy }) =>
  files.value.length > 0 &&
  html`<ul class="uploads" aria-label=${t("ask.notes")}>
    ${files.value.map(
      (file) => html`<li key=${file.name}>
        <${Icon} name="doc" small />
        <span class="note-name">${file.name}</span>
        <span class="dimmer">${size(file.size)}</span>
        <button
          class="btn flat icon sm"
          type="button"
          disabled=${busy}
          aria-label=${t("ask.remove", { name: file.name })}
          onClick=${() => {
            files.value = files.value.filter((each) => each !== file);
          }}
        >
          <${Icon} name="close" small />
        </button>
      </li>`,
    )}
  </ul>`;

/** Words of the button; asking about the topic takes a moment only. @param {Step | null} step @param {number} sent */
const stepWords = (step, sent) =>
  step && step !== "checking" ? t(`ask.${step}`, { percent: Math.floor(sent * 100) }) : t("ask.grow");

/** Time of all lessons of a path, rounded to five minutes or to hours. @param {Estimate} estimate */
function lessonTime({ lessonMinutes: [low, high] }) {
  if (high > 90) return t("cost.time_hours", { low: Math.round(low / 60), high: Math.round(high / 60) });
  return t("cost.time_minutes", { low: 5 * Math.round(low / 5), high: 5 * Math.round(high / 5) });
}

/** What the size that is not chosen takes. @param {Status} status @param {boolean} small */
const otherSize = ({ estimate }, small) =>
  t("cost.other", {
    size: t(small ? "ask.full" : "ask.short"),
    time: lessonTime(small ? estimate.full : estimate.small),
  });

/** Estimate of size, time and cost. @param {Status} status @param {boolean} small */
function costLine(status, small) {
  const estimate = status.estimate[small ? "small" : "full"];
  const { minutes, costUsdLow, costUsdHigh } = estimate;
  const [fewest, most] = estimate.concepts;
  const concepts = t("cost.size", { fewest, most, time: lessonTime(estimate) });
  if (status.model.offline) return t("cost.offline", { concepts });
  if (!costUsdHigh) return t("cost.unknown", { concepts, model: modelName(status.model.name, false) });
  return t("cost.priced", {
    concepts,
    minutes: common("cost.minutes", { n: minutes }),
    low: money(costUsdLow),
    high: money(costUsdHigh),
  });
}

/**
 * Make the path, hand over the notes, wake the agents. A path whose notes were refused is taken back, so that trying
 * again makes no second one.
 * @param {string} title
 * @param {string | null} desc
 * @param {File[]} files
 * @param {boolean} small
 * @param {(step: Step) => void} onStep
 * @param {(share: number) => void} onSent
 * @returns {Promise<string>} the address of the new path
 */
async function createPath(title, desc, files, small, onStep, onSent) {
  onStep("creating");
  const branch = await pathsApi.createBranch(title);
  try {
    const root = await pathsApi.createRoot(branch.id, title, desc);
    if (files.length) {
      onStep("uploading");
      await documentsApi.upload(root.id, files, onSent);
    }
    onStep("starting");
    await api.grow(root.id, small);
  } catch (error) {
    await pathsApi.deleteBranch(branch.id).catch(() => null); // the first failure is the one to tell
    throw error;
  }
  return pathUrl(branch.id);
}
