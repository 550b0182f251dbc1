// @ts-check
/** Dialog that deletes everything, after a word was typed as confirmation. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import * as learnerApi from "../../net/learner_api.js";
import * as pathsApi from "../../net/paths_api.js";
import { homeUrl } from "../../state/router.js";
import { clearDrafts } from "../../state/settings.js";
import { useDeed } from "../common/deed.js";
import { Dialog } from "../common/dialog.js";
import { Icon } from "../common/icons.js";
import { EmptyScreen } from "../common/shell.js";

/** @param {number} paths number of paths */
const whatGoes = (paths) =>
  paths ? t("st.erase_text", { paths: t("st.erase_paths", { n: paths }) }) : t("st.erase_nothing");

/** @param {{ onClose: () => void, onErased: () => void }} props */
export function EraseDialog({ onClose, onErased }) {
  const paths = useSignal(/** @type {number | null} */ (null));
  const written = useSignal("");
  const { busy, problem, run } = useDeed();
  useEffect(() => {
    pathsApi.paths().then(
      (all) => {
        paths.value = all.length;
      },
      (error) => {
        problem.value = error.message;
      },
    );
  }, []);
  const word = t("st.erase_word");
  const isMeant = written.value.trim().toLocaleLowerCase() === word;
  const erase = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!isMeant) return;
    run(async () => {
      await learnerApi.deleteEverything();
      clearDrafts();
      onErased();
    });
  };
  return html`<${Dialog} title=${t("st.erase_title")} kind="erase" onClose=${onClose}>
    <p class="dim">
      ${paths.value === null ? " " : whatGoes(paths.value)}
    </p>
    <form onSubmit=${erase}>
      <label class="lbl" for="erase-word">${t("st.erase_label", { word })}</label>
      <input
        class="field"
        id="erase-word"
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        autofocus
        value=${written.value}
        onInput=${(/** @type {Event} */ event) => {
          written.value = /** @type {HTMLInputElement} */ (event.target).value;
        }}
      />
      ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
      <div class="row dialog-foot">
        <button class="btn stop" type="submit" disabled=${!isMeant || busy.value} aria-busy=${busy.value || undefined}>
          ${t(busy.value ? "st.erase_busy" : "st.erase_go")}
        </button>
        <button class="btn" type="button" onClick=${onClose}>${t("st.erase_keep")}</button>
      </div>
    </form>
  <//>`;
}

/** Screen after everything was deleted. */
export function Erased() {
  useEffect(() => document.getElementById("main")?.focus({ preventScroll: true }), []);
  return html`<${EmptyScreen} title=${t("st.erased_title")} text=${t("st.erased")}>
    <p role="status" class="vh">${t("st.erased_title")}</p>
    <p><a class="btn go" href=${homeUrl()}>${t("st.erased_go")}</a></p>
  <//>`;
}
