// @ts-check
/** Words for people: one catalogue per language, one way to read it. */

import en from "./i18n/en.js";

/** @typedef {keyof typeof en} Key */
/** @typedef {Record<string, string | number | null | undefined>} Values */

const plural = new Intl.PluralRules("en");

/** @param {string} sentence @param {Values} values */
function chosen(sentence, values) {
  if (!sentence.includes("|") || typeof values.n !== "number") return sentence;
  const [one, other] = sentence.split("|");
  return plural.select(values.n) === "one" ? one : other;
}

/** How a catalogue is read: the sentence of a key with its values in place. @template {Record<string, string>} C @param {C} catalogue */
export const reader = (catalogue) => (/** @type {keyof C} */ key, /** @type {Values} */ values = {}) =>
  chosen(catalogue[key], values).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** The sentence of a key with its values in place. */
export const t = reader(en);

/** The sentence in pieces, its values apart, so that a view can set them in bold. @param {Key} key @param {Values} [values] @returns {{ text: string, isValue: boolean }[]} */
export function pieces(key, values = {}) {
  const parts = chosen(en[key], values).split(/\{(\w+)\}/);
  return parts.map((part, i) => ({ text: i % 2 ? String(values[part] ?? "") : part, isValue: i % 2 === 1 })).filter((part) => part.text);
}

/** Whether the catalogue has such a key. @param {string} key @returns {key is Key} */
export const has = (key) => key in en;
