// @ts-check
/** Classes screen: the teacher's classes, and the form for a new one. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/classes.js";
import { commaJoined } from "../../lib/format.js";
import { inGroups } from "../../lib/class_code.js";
import { html } from "../../lib/html.js";
import * as classesApi from "../../net/classes_api.js";
import { classUrl, navigate } from "../../state/router.js";
import { useDeed } from "../common/deed.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Mark } from "../common/node_state_shapes.js";
import { Shell } from "../common/shell.js";
import { ConfirmDialog, Problem } from "./confirm_dialog.js";
import { RenameDialog } from "./rename_dialog.js";

/** @import { SchoolClass } from "../../types.d.ts" */
/** @typedef {{ kind: "rename" | "delete", of: SchoolClass } | null} Asked */

export function ClassesScreen() {
  const loading = useLoaded(classesApi.classes);
  const asked = useSignal(/** @type {Asked} */ (null));
  const says = useSignal("");
  const deed = useDeed();
  useEffect(() => {
    document.title = t("cl.page");
  }, []);
  const changed = async (/** @type {string} */ words) => {
    await loading.load();
    says.value = words;
  };
  const archive = (/** @type {SchoolClass} */ one) =>
    deed.run(async () => {
      const archived = one.archivedAt === null;
      await classesApi.changeClass(one.id, { archived });
      await changed(t(archived ? "cl.done.archived" : "cl.done.reopened"));
    });
  const all = loading.found.value;
  return html`<${Shell}>
    <div class="wrap cl" aria-busy=${loading.busy.value || undefined}>
      <header><div><h1 class="t24">${t("cl.title")}</h1></div></header>
      <${LoadingState} of=${loading} words=${t("cl.loading")} />
      ${all && !all.length && html`<${NoClasses} />`}
      ${
        all &&
        all.length > 0 &&
        html`<ul class="cl-classes">
          ${all.map(
            (one) => html`<${ClassItem} key=${one.id} of=${one} asked=${asked} onArchive=${() => archive(one)} />`,
          )}
        </ul>`
      }
      <${Problem} words=${deed.problem.value} />
      <p class="vh" role="status">${says.value}</p>
      ${all && html`<${NewClass} isFirst=${!all.length} />`}
    </div>
    <${AskedDialog} asked=${asked} onDone=${changed} />
  <//>`;
}

const NoClasses = () => html`<section class="cl-empty">
  <${Mark} state="ready" />
  <div>
    <h2 class="t18">${t("cl.empty_title")}</h2>
    <p class="dim">${t("cl.empty")}</p>
  </div>
</section>`;

/** @param {{ of: SchoolClass, asked: { value: Asked }, onArchive: () => void }} props */
function ClassItem({ of, asked, onArchive }) {
  const { name, members, code, archivedAt } = of;
  const ask = (/** @type {"rename" | "delete"} */ kind) => () => {
    asked.value = { kind, of };
  };
  const codeWords = code ? t("cl.code_is", { code: inGroups(code.code) }) : t("cl.no_code");
  return html`<li>
    <div>
      <a class="t18" href=${classUrl(of.id)} dir="auto">${name}</a>
      <p class="dim">
        ${commaJoined([t("cl.learners", { n: members }), archivedAt === null ? codeWords : t("cl.is_archived")])}
      </p>
    </div>
    <div class="row">
      <button class="btn sm" type="button" aria-label=${t("cl.rename_it", { name })} onClick=${ask("rename")}>
        ${t("cl.rename")}
      </button>
      <button
        class="btn sm"
        type="button"
        aria-label=${t(archivedAt === null ? "cl.archive_it" : "cl.reopen_it", { name })}
        onClick=${onArchive}
      >
        ${t(archivedAt === null ? "cl.archive" : "cl.reopen")}
      </button>
      <button class="btn sm flat" type="button" aria-label=${t("cl.delete_it", { name })} onClick=${ask("delete")}>
        ${t("cl.delete")}
      </button>
    </div>
  </li>`;
}

/** @param {{ isFirst: boolean }} props */
function NewClass({ isFirst }) {
  const deed = useDeed();
  const create = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name")).trim();
    if (name) deed.run(async () => navigate(classUrl((await classesApi.createClass(name)).id)));
  };
  return html`<form class="cl-new" onSubmit=${create}>
    <label class="lbl" for="new-class">${t("cl.new")}</label>
    <div class="row">
      <input class="field" id="new-class" name="name" maxlength="100" autocomplete="off" required />
      <button class=${isFirst ? "btn go" : "btn"} type="submit" aria-busy=${deed.busy.value || undefined}>
        ${t("cl.create")}
      </button>
    </div>
    <${Problem} words=${deed.problem.value} />
  </form>`;
}

/** @param {{ asked: { value: Asked }, onDone: (words: string) => Promise<void> }} props */
function AskedDialog({ asked, onDone }) {
  if (!asked.value) return null;
  const { kind, of } = asked.value;
  const close = () => {
    asked.value = null;
  };
  if (kind === "rename")
    return html`<${RenameDialog} of=${of} onDone=${() => onDone(t("cl.done.renamed"))} onClose=${close} />`;
  return html`<${ConfirmDialog}
    title=${t("cl.delete_title", { name: of.name })}
    text=${t("cl.delete_text", { n: of.members })}
    go=${t("cl.delete_go")}
    keep=${t("cl.delete_keep")}
    onClose=${close}
    onGo=${async () => {
      await classesApi.deleteClass(of.id);
      await onDone(t("cl.done.deleted"));
    }}
  />`;
}
