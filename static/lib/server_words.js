// @ts-check
/** The server's sentences in the page's language, by their codes. In English they are the server's own. */

import { signal } from "@preact/signals";
import { chosenLanguage, loadCatalogue, translator } from "./i18n.js";

/** @typedef {{ code?: string | null, params?: Record<string, string | number>, message: string }} Sentence */

/** The words by code; null until they are fetched, with the first sentence that needs them. */
const words = signal(/** @type {Record<string, string> | null} */ (chosenLanguage() === "en" ? {} : null));
/** @type {Promise<void> | null} */
let fetching = null;

async function fetchWords() {
  try {
    words.value = await loadCatalogue("server");
  } catch {
    words.value = {}; // not reached: the server's own sentences stand in
  }
}

/** The sentence; empty until the words are there. A view that shows it is drawn again then. @param {Sentence} said */
export function serverSentence({ code, params, message }) {
  const catalogue = words.value;
  if (!catalogue) {
    fetching ??= fetchWords();
    return "";
  }
  const key = `server.${code}`;
  return key in catalogue ? translator(catalogue)(key, params) : message;
}

/**
 * What a run asks a person. A question of the model is in its own words; one about a call shows the input as the
 * server has written it out, below its first line.
 * @param {{ kind: string, tool?: string | null, question: string }} asked
 */
export function askedSentence({ kind, tool, question }) {
  const params = { tool: tool ?? "", arguments: question.split("\n").slice(1).join("\n") };
  return serverSentence({ code: `asks_${kind}`, params, message: question });
}

/**
 * That the loop stepped in, with the tool that it is about.
 * @param {{ level: number, tool: string | null, noticed: string }} stepped
 */
export function guardSentence({ level, tool, noticed }) {
  const code = tool ? `guard_${level}_tool` : `guard_${level}`;
  return serverSentence({ code, params: { tool: tool ?? "" }, message: noticed });
}

/** The sentence, once the words are there. @param {Sentence} said */
export async function fetchSentence(said) {
  if (!words.value) await (fetching ??= fetchWords());
  return serverSentence(said);
}
