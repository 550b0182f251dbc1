// @ts-check
/** Button that reads the text around it aloud, and stops; there is none where the browser has no voice. */

import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/aloud.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { hasVoice, readAloud, spoken, stopReading } from "../../state/speech.js";
import { Icon } from "./icons.js";

await loadSheet("styles/aloud.css");

/**
 * @param {{ of: string, from?: string }} props `of`: selector of the element around it that is read; `from`: of the one
 *   around it, within that, with which reading begins
 */
export function ReadAloud({ of, from }) {
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const text = () => button.current?.closest(of) ?? null;
  useEffect(() => {
    const element = text();
    return () => {
      if (element && spoken.peek() === element) stopReading();
    };
  }, [hasVoice.value]);
  if (!hasVoice.value) return null;
  const isRead = spoken.value !== null && spoken.value === text();
  const toggle = () => {
    const element = text();
    if (isRead || !element) stopReading();
    else readAloud(element, chosenLanguage(), from ? (button.current?.closest(from) ?? null) : null);
  };
  return html`<button class="btn flat sm aloud" type="button" ref=${button} onClick=${toggle}>
    <${Icon} name=${isRead ? "stop" : "play"} small />
    ${t(isRead ? "aloud.stop" : "aloud.read")}
  </button>`;
}
