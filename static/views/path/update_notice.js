// @ts-check
/** Notice of what a teacher has changed in a given path; the learner takes it over, or leaves it for later. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/given.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as membershipsApi from "../../net/memberships_api.js";
import { Icon } from "../common/icons.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { PathUpdate } from "../../types.d.ts" */

/** Versions that were left for later, on this page. @type {Set<string>} */
const putOff = new Set();

/** Renders nothing where no teacher has changed the path. @param {{ path: OpenPath }} props */
export function UpdateNotice({ path }) {
  const found = useSignal(/** @type {PathUpdate | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const isBusy = useSignal(false);
  const isFolded = useSignal(false);
  const says = useSignal("");
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const load = async () => {
    try {
      found.value = await membershipsApi.update(path.branchId);
      isFolded.value = putOff.has(found.value?.version ?? "");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the screen itself reports the outage
    }
  };
  useEffect(() => {
    load();
  }, [path.branchId]);
  const accept = async (/** @type {PathUpdate} */ update) => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      await membershipsApi.acceptUpdate(path.branchId, update.version);
      found.value = null;
      says.value = t("gv.accepted");
      box.current?.focus();
      await path.refresh();
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      await load();
    }
    isBusy.value = false;
  };
  const fold = (/** @type {PathUpdate} */ update) => {
    putOff.add(update.version);
    isFolded.value = true;
    box.current?.focus();
  };
  const update = found.value;
  if (!update && !says.value) return null;
  return html`<section class="update" tabindex="-1" ref=${box} aria-labelledby=${update ? "update" : undefined}>
    <p class="t13 dim" role="status">${says.value}</p>
    ${
      update &&
      (isFolded.value
        ? html`<${Folded}
            update=${update}
            onShow=${() => {
              isFolded.value = false;
            }}
          />`
        : html`
          <h3 id="update" dir="auto">${t("gv.title", { teacher: update.teacher })}</h3>
          <${Changes} update=${update} />
          <p class="t13 dim">${t("gv.keeps")}</p>
          ${
            problem.value &&
            html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`
          }
          <div class="row">
            <button
              class="btn sm"
              type="button"
              aria-busy=${isBusy.value || undefined}
              onClick=${() => accept(update)}
            >
              ${t(isBusy.value ? "gv.accepting" : "gv.accept")}
            </button>
            <button class="btn flat sm" type="button" onClick=${() => fold(update)}>${t("gv.later")}</button>
          </div>
        `)
    }
  </section>`;
}

/** @param {{ update: PathUpdate, onShow: () => void }} props */
const Folded = ({ update, onShow }) => html`<p class="t13">
  <span id="update" dir="auto">${t("gv.update", { teacher: update.teacher })}</span>${" "}
  <button class="link" type="button" onClick=${onShow}>${t("gv.show")}</button>
</p>`;

/** @param {{ update: PathUpdate }} props */
const Changes = ({ update: { added, described } }) => html`
  ${added.length > 0 && html`<p class="eyebrow">${t("gv.added")}</p>`}
  <ul>
    ${added.map(
      ({ title, desc, concept }, i) => html`<li key=${i} dir="auto">
        <b>${title}</b>${concept && html` <span class="dim">${t("gv.part_of", { concept })}</span>`}
        ${desc && html`<p class="t13 dim">${desc}</p>`}
      </li>`,
    )}
  </ul>
  ${described.length > 0 && html`<p class="eyebrow">${t("gv.described")}</p>`}
  <ul>
    ${described.map(
      ({ nodeId, title, before, after }) => html`<li key=${nodeId} dir="auto">
        <b>${title}</b>
        <p class="t13 dim">${after}</p>
        ${before && html`<p class="t13 dimmer">${t("gv.before", { words: before })}</p>`}
      </li>`,
    )}
  </ul>
`;
