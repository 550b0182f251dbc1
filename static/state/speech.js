// @ts-check
/** Reading aloud with the browser's voices: one text at a time, sentence by sentence, each marked while it is said. */

import { signal } from "@preact/signals";
import { languageOf, sentencesIn } from "../lib/speakable.js";

const BLOCKS = "p, li, h1, h2, h3, h4, dt, dd, td, th, blockquote";
const UNSPOKEN = "button, pre, annotation, .vh, small, [aria-hidden='true'], details:not([open]) > :not(summary)";
const MARK = "spoken";

/** The voices, on machines that have any. */
const voices = () => globalThis.speechSynthesis?.getVoices() ?? [];

/** Whether there is a voice: some browsers find theirs later. */
export const hasVoice = signal(voices().length > 0);
globalThis.speechSynthesis?.addEventListener?.("voiceschanged", () => {
  hasVoice.value = voices().length > 0;
});

/** The element that is being read. */
export const spoken = signal(/** @type {Element | null} */ (null));

/** @param {Element} element @returns {Text[]} */
function spokenTexts(element) {
  const texts = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = /** @type {Text} */ (walker.currentNode);
    if (!text.parentElement?.closest(UNSPOKEN)) texts.push(text);
  }
  return texts;
}

/**
 * The sentences of an element with their places; a sentence ends where its paragraph does.
 * @param {Element} element @param {string} language
 * @returns {{ words: string, range: Range }[]}
 */
function sentencesOf(element, language) {
  /** @type {Map<Element, Text[]>} */
  const blocks = new Map();
  for (const text of spokenTexts(element)) {
    const block = text.parentElement?.closest(BLOCKS) ?? element;
    blocks.set(block, [...(blocks.get(block) ?? []), text]);
  }
  return [...blocks.values()].flatMap((texts) => {
    const whole = texts.map((text) => text.data).join("");
    return sentencesIn(whole, language).map(({ from, to }) => ({
      words: whole.slice(from, to),
      range: rangeOf(texts, from, to),
    }));
  });
}

/** @param {Text[]} texts that follow each other @param {number} from @param {number} to */
function rangeOf(texts, from, to) {
  const range = document.createRange();
  let before = 0;
  for (const text of texts) {
    const end = before + text.length;
    if (from >= before && from < end) range.setStart(text, from - before);
    if (to > before && to <= end) range.setEnd(text, to - before);
    before = end;
  }
  return range;
}

/** Mark a sentence where the browser can, or none. @param {Range | null} range */
function mark(range) {
  if (!("highlights" in CSS)) return;
  if (range) CSS.highlights.set(MARK, new Highlight(range));
  else CSS.highlights.delete(MARK);
}

/** Whether a range is in the element or comes after it. @param {Range} range @param {Element} element */
const isFrom = (range, element) =>
  (element.compareDocumentPosition(range.startContainer) & Node.DOCUMENT_POSITION_PRECEDING) === 0;

/**
 * Read an element aloud; what was read before stops.
 * @param {Element} element
 * @param {string} fallback language
 * @param {Element | null} [from] in it, with which reading begins
 */
export function readAloud(element, fallback, from = null) {
  stopReading();
  const language = languageOf(element.textContent ?? "", fallback);
  const sentences = sentencesOf(element, language).filter(({ range }) => !from || isFrom(range, from));
  const voice = voices().find((each) => each.lang.split(/[-_]/)[0] === language) ?? null;
  spoken.value = element;
  const say = (/** @type {number} */ at) => {
    if (spoken.value !== element) return;
    if (at === sentences.length || !element.isConnected) return stopReading();
    const said = new SpeechSynthesisUtterance(sentences[at].words);
    said.lang = voice?.lang ?? language;
    said.voice = voice;
    said.onend = () => say(at + 1);
    said.onerror = () => {
      if (spoken.value === element) stopReading();
    };
    mark(sentences[at].range);
    speechSynthesis.speak(said);
  };
  say(0);
}

export function stopReading() {
  if (!spoken.value) return;
  spoken.value = null;
  mark(null);
  speechSynthesis.cancel();
}

addEventListener("pagehide", stopReading);
