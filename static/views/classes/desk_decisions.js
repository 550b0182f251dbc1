// @ts-check
/** Keys of a teacher's desk: four decisions, none of which is suggested; the name, only when asked for. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { t } from "../../i18n/desk.js";
import { html } from "../../lib/html.js";
import * as deskApi from "../../net/desk_api.js";
import { VerdictMark } from "../common/verdict_mark.js";

/** @import { Decision, DeskItem } from "../../types.d.ts" */

/** @type {{ decision: Decision, shape: "met" | "partly" | "missing" | "unsure" }[]} */
const KEYS = [
  { decision: "right", shape: "met" },
  { decision: "partly", shape: "partly" },
  { decision: "not_yet", shape: "missing" },
  { decision: "drop", shape: "unsure" },
];

/**
 * @param {{
 *   classId: string, item: DeskItem, busy: boolean, onDecide: (decision: Decision) => void, onLater: (() => void) | null,
 * }} props
 */
export function Decisions({ classId, item, busy, onDecide, onLater }) {
  const name = useSignal(/** @type {string | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const keys = KEYS.map((key) => ({ ...key, possible: item.answer !== null || isForUnanswered(key.decision) }));
  // Before anything is seen: a key that is pressed at once counts.
  useLayoutEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const key = keys[Number(event.key) - 1];
      if (!key?.possible || busy || event.repeat || isElsewhere(event)) return;
      event.preventDefault();
      onDecide(key.decision);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
  const showName = async () => {
    try {
      name.value = (await deskApi.learner(classId, item.id)).displayName;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  return html`<div class="dec" role="group" aria-label=${t("dk.yours")}>
    <div class="dec-keys">
      ${keys.map(
        ({ decision, shape, possible }, i) => html`<button
          key=${decision}
          class="btn"
          type="button"
          aria-keyshortcuts=${i + 1}
          disabled=${!possible}
          aria-busy=${busy || undefined}
          onClick=${() => onDecide(decision)}
        >
          <${VerdictMark} shape=${shape} />
          <span>${t(item.answer === null && decision === "not_yet" ? "dk.keep" : `dk.${decision}`)}</span>
          <kbd aria-hidden="true">${i + 1}</kbd>
        </button>`,
      )}
    </div>
    <div class="dec-more">
      ${
        name.value === null
          ? html`<button class="link" type="button" onClick=${showName}>${t("dk.name")}</button>`
          : html`<b class="t13" role="status" dir="auto">${t("dk.name_is", { name: name.value })}</b>`
      }
      ${onLater && html`<button class="link" type="button" onClick=${onLater}>${t("dk.later")}</button>`}
      ${problem.value && html`<span class="t13 err" role="alert">${problem.value}</span>`}
      <span class="t13 dimmer hide-s sp">${t("dk.follows")}</span>
    </div>
  </div>`;
}

/** A question that was not answered can be dropped, or kept as it is. @param {Decision} decision */
const isForUnanswered = (decision) => decision === "not_yet" || decision === "drop";

/** Whether a key is meant for something else. @param {KeyboardEvent} event */
function isElsewhere({ altKey, ctrlKey, metaKey, target }) {
  const at = /** @type {HTMLElement} */ (target);
  return (
    altKey || ctrlKey || metaKey || at.matches("input, textarea, select") || document.querySelector("dialog[open]")
  );
}
