// @ts-check
/** Code block, highlighted once its grammar is loaded, with a copy button. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { Icon } from "../common/icons.js";
import { grammarOf } from "./grammars.js";
import { highlight, highlighter } from "./highlighting.js";

const COPIED_MS = 2000;

/** @param {{ text: string, lang?: string }} props */
export function CodeBlock({ text, lang = "" }) {
  const grammar = grammarOf(lang);
  const by = grammar && highlighter();
  const pieces = useMemo(
    () => (grammar && by ? highlight(text, by, grammar.parser) : [{ text, colour: null }]),
    [text, grammar, by],
  );
  return html`<div class="code-block">
    <pre tabindex="0" dir="ltr">
      <code>
        ${pieces.map((piece) => (piece.colour ? html`<span class=${piece.colour}>${piece.text}</span>` : piece.text))}
      </code>
    </pre>
    <${Copy} text=${text} />
  </div>`;
}

/** Shown only if the clipboard is available: over HTTPS or on localhost. @param {{ text: string }} props */
function Copy({ text }) {
  const done = useSignal(false);
  if (!navigator.clipboard) return "";
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return; // not allowed: the text can still be selected
    }
    done.value = true;
    setTimeout(() => {
      done.value = false;
    }, COPIED_MS);
  };
  return html`
    <button
      class="btn flat sm icon copy"
      type="button"
      aria-label=${t("md.copy")}
      title=${t("md.copy")}
      onClick=${copy}
    >
      <${Icon} name=${done.value ? "check" : "copy"} small />
    </button>
    <span class="vh" role="status">${done.value ? t("md.copied") : ""}</span>
  `;
}
