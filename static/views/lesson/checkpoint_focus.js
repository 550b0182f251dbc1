// @ts-check
/** Focus of the open checkpoint. */

import { useEffect, useRef } from "preact/hooks";

/** @import { OpenLesson } from "../../state/lesson.js" */

/**
 * A focus that a turn has left nowhere comes back: to a new question, so that it is read, or to the field of one that
 * stays.
 * @param {OpenLesson} lesson
 * @param {{ current: HTMLElement | null }} field
 */
export function useFocus(lesson, field) {
  const asked = useRef(/** @type {HTMLElement | null} */ (null));
  const off = lesson.working.value;
  const isNew = useRef(true);
  useEffect(() => {
    if (off) return;
    if (lesson.spoken.value && document.activeElement === document.body)
      (isNew.current ? asked : field.current ? field : asked).current?.focus({ preventScroll: true });
    isNew.current = false;
  }, [off]);
  return asked;
}
