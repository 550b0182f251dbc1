// @ts-check
/** Code as it is read: in the colours of its language once its grammar is there, with a button that copies it. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { html } from "../html.js";
import { t } from "../i18n/learn.js";
import { Icon } from "../views/icons.js";
import { coloured, highlighter } from "./colours.js";
import { grammarOf } from "./grammars.js";

const COPIED_MS = 2000;

/** @param {{ text: string, lang?: string }} props */
export function CodeBlock({ text, lang = "" }) {
  const grammar = grammarOf(lang);
  const by = grammar && highlighter();
  const pieces = useMemo(() => (grammar && by ? coloured(text, by, grammar.parser) : [{ text, colour: null }]), [text, grammar, by]);
  return html`<div class="code-block"><pre tabindex="0" dir="ltr"><code>${pieces.map((piece) => (piece.colour ? html`<span class=${piece.colour}>${piece.text}</span>` : piece.text))}</code></pre>
    <${Copy} text=${text} /></div>`;
}

/** Only where the browser lets a page copy: over HTTPS, and on this machine. @param {{ text: string }} props */
function Copy({ text }) {
  const done = useSignal(false);
  if (!navigator.clipboard) return "";
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return; // not allowed here: the text can still be selected
    }
    done.value = true;
    setTimeout(() => { done.value = false; }, COPIED_MS);
  };
  return html`<button class="btn flat sm icon copy" type="button" aria-label=${t("md.copy")} title=${t("md.copy")} onClick=${copy}><${Icon} name=${done.value ? "check" : "copy"} small /></button>
    <span class="vh" role="status">${done.value ? t("md.copied") : ""}</span>`;
}
