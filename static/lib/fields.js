// @ts-check
/** Handlers of text fields. */

/**
 * An input handler that keeps the field's text in the signal.
 * @param {{ value: string | null }} words a signal
 */
export const typedInto = (words) => (/** @type {any} */ event) => {
  words.value = event.target.value;
};

/**
 * A key handler that submits on Ctrl+Enter, or Cmd+Enter.
 * @param {(event: Event) => void} submit
 */
export const onCtrlEnter = (submit) => (/** @type {KeyboardEvent} */ event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
};
