// @ts-check
/** Dictation with the browser's speech recognition: one field at a time, its words written as they are heard. */

import { signal } from "@preact/signals";
import { stopReading } from "./speech.js";

/**
 * The part of the browser's interface that is used; its types are in no library yet.
 * @typedef {{ isFinal: boolean, [at: number]: { transcript: string } }} Heard
 * @typedef {{
 *   lang: string,
 *   continuous: boolean,
 *   interimResults: boolean,
 *   onresult: ((event: { results: ArrayLike<Heard> }) => void) | null,
 *   onerror: ((event: { error: string }) => void) | null,
 *   onend: (() => void) | null,
 *   start: () => void,
 *   stop: () => void,
 * }} Recognition
 */
/** @typedef {"denied" | "no_microphone" | "nothing" | "failed"} Problem why nothing was written */

/** @type {Record<string, Problem | null>} */
const PROBLEMS = {
  "not-allowed": "denied",
  "service-not-allowed": "denied",
  "audio-capture": "no_microphone",
  "no-speech": "nothing",
  aborted: null,
};

/** @type {(new () => Recognition) | undefined} */
const Recognizer =
  /** @type {any} */ (globalThis).SpeechRecognition ?? /** @type {any} */ (globalThis).webkitSpeechRecognition;

export const canDictate = Recognizer !== undefined;

/** The field that is dictated into. */
export const dictated = signal(/** @type {Element | null} */ (null));

/** @type {Recognition | null} */
let running = null;

/**
 * Write what is said behind what stands in the field; what was dictated before stops.
 * @param {HTMLTextAreaElement} field
 * @param {string} language its first letters, such as "de"; the browser's own variety of it is taken
 * @param {{ onWords: (text: string) => void, onProblem: (problem: Problem) => void }} told `onWords`: the whole text of
 *   the field, which changes while a sentence is still being heard
 */
export function dictate(field, language, { onWords, onProblem }) {
  stopDictation();
  stopReading();
  if (!Recognizer) return;
  const before = field.value.trimEnd();
  const recognition = new Recognizer();
  recognition.lang = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.onresult = ({ results }) => {
    if (running !== recognition) return;
    const heard = Array.from(results, (result) => result[0].transcript.trim()).filter(Boolean);
    onWords([before, ...heard].filter(Boolean).join(" "));
  };
  recognition.onerror = ({ error }) => {
    const problem = error in PROBLEMS ? PROBLEMS[error] : "failed";
    if (running === recognition && problem) onProblem(problem);
  };
  recognition.onend = () => {
    if (running === recognition) stopDictation();
  };
  running = recognition;
  dictated.value = field;
  recognition.start();
}

/** End it; the words that were heard stay. */
export function stopDictation() {
  const recognition = running;
  running = null;
  dictated.value = null;
  recognition?.stop();
}

addEventListener("pagehide", stopDictation);
