// @ts-check
/** Table of paths with their progress, and the dialog that deletes one. */

import { useSignal } from "@preact/signals";
import { t } from "../../i18n/home.js";
import { day } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import * as api from "../../net/api.js";
import { dueReviews } from "../../state/due_reviews.js";
import * as pathsApi from "../../net/paths_api.js";
import { pathUrl } from "../../state/router.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { Mark, Rosette } from "../common/node_state_shapes.js";

/** @import { CopiedPath, PathSummary } from "../../types.d.ts" */

/** Loaded only if something is begun. */
const weeks = lazy(async () => (await import("./weekly_curve.js")).WeeklyCurve);

/** Loaded only if a teacher has given a path. */
const givenLine = lazy(async () => (await import("../common/given_line.js")).GivenLine);

/** @param {{ paths: PathSummary[], given: Map<string, CopiedPath>, onChange: () => Promise<void> }} props */
export function PathTable({ paths, given, onChange }) {
  const doomed = useSignal(/** @type {PathSummary | null} */ (null));
  const concepts = paths.flatMap((path) => path.concepts);
  const learned = concepts.filter((concept) => concept.learned).length;
  return html`<section class="paths" aria-labelledby="paths-title">
    <header>
      <h2 class="t18" id="paths-title">${t("paths.title")}</h2>
      <span class="t13 dimmer">
        ${t("paths.count", { n: paths.length, learned, concepts: common("paths.concepts", { n: concepts.length }) })}
      </span>
    </header>
    <table class="pt">
      <thead>
        <tr>
          <th>${t("paths.learned")}</th>
          <th>${t("paths.path")}</th>
          <th>${t("paths.weeks")}</th>
          <th>${t("paths.reviews")}</th>
          <th>${t("paths.seen")}</th>
          <th><span class="vh">${t("delete.go")}</span></th>
        </tr>
      </thead>
      <tbody>
        ${paths.map(
          (path) =>
            html`<${PathRow}
              key=${path.branch.id}
              path=${path}
              copy=${given.get(path.branch.id)}
              onDelete=${() => {
                doomed.value = path;
              }}
            />`,
        )}
      </tbody>
    </table>
    ${
      doomed.value &&
      html`<${DeleteDialog}
        path=${doomed.value}
        onClose=${() => {
          doomed.value = null;
        }}
        onDeleted=${onChange}
      />`
    }
  </section>`;
}

/** @param {{ path: PathSummary, copy?: CopiedPath | undefined, onDelete: () => void }} props */
const PathRow = ({ path, copy, onDelete }) => {
  const states = path.concepts.map((concept) => (concept.learned ? "m" : concept.begun ? "p" : "l")).join("");
  const subconcepts = path.concepts.reduce((sum, concept) => sum + concept.subconceptCount, 0);
  return html`<tr>
    <td><${Rosette} states=${states} /></td>
    <td class="pt-main">
      <a class="t" href=${pathUrl(path.branch.id)}>${path.branch.title}</a>
      <br />
      <${PathWords} path=${path} />
      ${copy && html`<${givenLine.View} copy=${copy} />`}
    </td>
    <td class="o">
      ${
        path.concepts.some((concept) => concept.begun) &&
        html`<${weeks.View} branchId=${path.branch.id} parts=${subconcepts} />`
      }
    </td>
    <td class="o"><${DueHere} branchId=${path.branch.id} /></td>
    <td class="o dim">${day(path.lastActivityAt ?? path.branch.createdAt, api.serverNow())}</td>
    <td class="pt-end">
      <button
        class="btn flat icon sm"
        type="button"
        onClick=${onDelete}
        aria-label=${t("paths.delete", { title: path.branch.title })}
        title=${t("delete.go")}
      >
        <${Icon} name="trash" small />
      </button>
    </td>
  </tr>`;
};

/** What is due for review on a path; nothing while that is not known. @param {{ branchId: string }} props */
function DueHere({ branchId }) {
  if (!dueReviews.value) return null;
  const due = dueReviews.value.paths.find((path) => path.branchId === branchId)?.due ?? 0;
  if (!due) return html`<span class="dimmer">${t("paths.none_due")}</span>`;
  return html`<span class="chip due"><${Mark} state="due" />${common("nav.due", { n: due })}</span>`;
}

/** Status of a path in one line. @param {{ path: PathSummary }} props */
function PathWords({ path }) {
  const state = path.lastRun?.state;
  const done = path.concepts.filter((concept) => concept.learned).length;
  if (path.activeRunId && state === "waiting_on_human")
    return html`<span class="chip wait"><${Icon} name="hourglass" small />${t("paths.waiting")}</span>`;
  if (path.activeRunId) return html`<span class="chip leaf"><span class="pulse"></span>${t("paths.growing")}</span>`;
  if (state === "failed")
    return html`<span class="chip fault"><${Icon} name="warn" small />${common("paths.failed")}</span>`;
  if (state === "cancelled" || state === "timed_out") return html`<span class="dim">${common(`paths.${state}`)}</span>`;
  if (!path.concepts.length) return html`<span class="dim">${t("paths.nothing")}</span>`;
  if (done === path.concepts.length) return html`<span class="dim">${t("paths.all_learned")}</span>`;
  return html`<span class="dim">${common("path.learned", { done, n: path.concepts.length })}</span>`;
}

/** @param {{ path: PathSummary, onClose: () => void, onDeleted: () => Promise<void> }} props */
function DeleteDialog({ path, onClose, onDeleted }) {
  const busy = useSignal(false);
  const problem = useSignal(/** @type {string | null} */ (null));
  const remove = async () => {
    busy.value = true;
    try {
      await pathsApi.deleteBranch(path.branch.id);
      await onDeleted();
      onClose();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      busy.value = false;
    }
  };
  const n = path.concepts.length;
  return html`<${Dialog} title=${t("delete.title", { title: path.branch.title })} onClose=${onClose}>
    <p class="dim">
      ${n ? t("delete.text", { concepts: common("paths.concepts", { n }) }) : t("delete.text_empty")}
      ${path.activeRunId ? ` ${t("delete.running")}` : ""}
    </p>
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
    <div class="row dialog-foot">
      <button
        class="btn stop"
        type="button"
        disabled=${busy.value}
        aria-busy=${busy.value || undefined}
        onClick=${remove}
      >
        ${t(busy.value ? "delete.busy" : "delete.go")}
      </button>
      <button class="btn" type="button" onClick=${onClose} autofocus>${t("delete.keep")}</button>
    </div>
  <//>`;
}
