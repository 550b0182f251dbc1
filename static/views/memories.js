// @ts-check
/** What is remembered of the learner from lesson to lesson, each with a way to have it forgotten. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import * as api from "../api.js";
import { day, inRow } from "../format.js";
import { html } from "../html.js";
import { t } from "../i18n/you.js";
import * as you from "../you.js";
import { Icon } from "./icons.js";

/** @import { Memory } from "../types.d.ts" */

/** @param {{ memories: Memory[], onForgotten: (id: string) => void }} props */
export function Memories({ memories, onForgotten }) {
  const going = useSignal(/** @type {string | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const forget = async (/** @type {Memory} */ memory) => {
    going.value = memory.id;
    problem.value = null;
    try {
      await you.forget(memory.id);
      title.current?.focus();
      says.value = t("st.forgotten");
      onForgotten(memory.id);
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    } finally {
      going.value = null;
    }
  };
  return html`<section aria-labelledby="memory"><h2 id="memory" tabindex="-1" ref=${title}>${t("st.memory")}</h2><div class="st-in">
    <p class="t13 dim">${t("st.memory_says")}</p>
    ${memories.length ? html`<ul class="mems">${memories.map((memory) => html`<li key=${memory.id}>
      <p>${memory.text}<small>${inRow([day(memory.updatedAt, api.serverNow()), t(memory.source === "learner" ? "st.memory_you" : "st.memory_run")])}</small></p>
      <button class="btn sm" type="button" disabled=${going.value !== null} aria-busy=${going.value === memory.id || undefined} aria-label=${t("st.forget_it", { text: memory.text })} onClick=${() => forget(memory)}>${t(going.value === memory.id ? "st.forgetting" : "st.forget")}</button>
    </li>`)}</ul>` : html`<p class="dim">${t("st.memory_none")}</p>`}
    ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
    <p class="vh" role="status">${says.value}</p>
  </div></section>`;
}
