// @ts-check
/** Memories about the learner: each can be edited or deleted. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { onCtrlEnter, typedInto } from "../../lib/fields.js";
import { day, commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";

/** @import { Memory } from "../../types.d.ts" */

const LONGEST = 500;

/** @param {{ memories: Memory[], onChanged: (memories: Memory[]) => void }} props */
export function Memories({ memories, onChanged }) {
  const going = useSignal(/** @type {string | null} */ (null));
  const { problem, run } = useDeed();
  const says = useSignal("");
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  /** Returns whether it succeeded. @param {Memory} memory @param {() => Promise<void>} deed */
  const done = async (memory, deed) => {
    going.value = memory.id;
    const isDone = await run(deed);
    going.value = null;
    return isDone;
  };
  const forget = (/** @type {Memory} */ memory) =>
    done(memory, async () => {
      await learnerApi.deleteMemory(memory.id);
      title.current?.focus();
      says.value = t("st.forgotten");
      onChanged(memories.filter((each) => each !== memory));
    });
  const change = (/** @type {Memory} */ memory, /** @type {string} */ text) =>
    done(memory, async () => {
      const changed = await learnerApi.updateMemory(memory.id, text);
      says.value = t("st.changed");
      onChanged(memories.map((each) => (each === memory ? changed : each)));
    });
  return html`<section aria-labelledby="memory">
    <h2 id="memory" tabindex="-1" ref=${title}>${t("st.memory")}</h2>
    <div class="st-in">
      <p class="t13 dim">${t("st.memory_says")}</p>
      ${
        memories.length
          ? html`<ul class="mems">
            ${memories.map(
              (memory) => html`<${Entry}
                key=${memory.id}
                memory=${memory}
                off=${going.value !== null}
                isGoing=${going.value === memory.id}
                onForget=${forget}
                onChange=${change}
              />`,
            )}
          </ul>`
          : html`<p class="dim">${t("st.memory_none")}</p>`
      }
      ${problem.value && html`<p class="err" role="alert"><${Icon} name="warn" small />${problem.value}</p>`}
      <p class="vh" role="status">${says.value}</p>
    </div>
  </section>`;
}

/**
 * @param {{
 *   memory: Memory,
 *   off: boolean,
 *   isGoing: boolean,
 *   onForget: (memory: Memory) => void,
 *   onChange: (memory: Memory, text: string) => Promise<boolean>,
 * }} props
 */
function Entry({ memory, off, isGoing, onForget, onChange }) {
  const words = useSignal(/** @type {string | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const isOpen = words.value !== null;
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus();
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = () => {
    words.value = null;
  };
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = (words.value ?? "").trim();
    if (!text || text === memory.text || (await onChange(memory, text))) close();
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") close();
    onCtrlEnter(save)(event);
  };
  if (isOpen)
    return html`<li>
      <form class="mem-edit" onSubmit=${save}>
        <textarea
          class="field"
          rows="2"
          maxlength=${LONGEST}
          aria-label=${t("st.memory_words")}
          ref=${field}
          value=${words.value}
          readonly=${isGoing}
          onInput=${typedInto(words)}
          onKeyDown=${keys}
        ></textarea>
        <div class="row">
          <button
            class="btn sm go"
            type="submit"
            disabled=${off || !words.value?.trim()}
            aria-busy=${isGoing || undefined}
          >
            ${t(isGoing ? "st.changing" : "st.change_save")}
          </button>
          <button class="btn sm" type="button" disabled=${isGoing} onClick=${close}>${t("st.change_not")}</button>
        </div>
      </form>
    </li>`;
  return html`<li>
    <p>
      ${memory.text}
      <small>
        ${commaJoined([
          day(memory.updatedAt, api.serverNow()),
          t(memory.source === "learner" ? "st.memory_you" : "st.memory_run"),
        ])}
      </small>
    </p>
    <div class="row">
      <button
        class="btn sm"
        type="button"
        disabled=${off}
        ref=${opener}
        aria-label=${t("st.change_it", { text: memory.text })}
        onClick=${() => {
          words.value = memory.text;
        }}
      >
        ${t("st.change")}
      </button>
      <button
        class="btn sm"
        type="button"
        disabled=${off}
        aria-busy=${isGoing || undefined}
        aria-label=${t("st.forget_it", { text: memory.text })}
        onClick=${() => onForget(memory)}
      >
        ${t(isGoing ? "st.forgetting" : "st.forget")}
      </button>
    </div>
  </li>`;
}
