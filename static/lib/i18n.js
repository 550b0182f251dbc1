// @ts-check
/** Translations: one catalogue per language; only that of the page's language, which `language.js` sets, is loaded. */

import { untilFetched } from "./until_fetched.js";

/** @typedef {typeof import("../i18n/en.js").default} Catalogue */
/** @typedef {keyof Catalogue} Key */
/** @typedef {Record<string, string | number | null | undefined>} Values */

const page = globalThis.document?.documentElement; // outside a browser: English
/** Order of a sentence's plural forms; a language has only its own categories. */
const FORMS = ["zero", "one", "two", "few", "many", "other"];

/** Tag of the page's language. */
export const chosenLanguage = () => page?.lang || "en";

/** The available languages, each under its own name. @returns {{ tag: string, name: string }[]} */
export const languages = () =>
  (page?.dataset.languages ?? "en")
    .split(" ")
    .map((tag) => ({ tag, name: new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag }));

/**
 * Store the choice in this browser and reload the page.
 * @param {string} tag one of `languages()`
 */
export const chooseLanguage = (tag) => dispatchEvent(new CustomEvent("sprout:language", { detail: tag }));

const plural = new Intl.PluralRules(chosenLanguage());
const forms = FORMS.filter((form) =>
  plural.resolvedOptions().pluralCategories.includes(/** @type {Intl.LDMLPluralRule} */ (form)),
);
const numbers = new Intl.NumberFormat(chosenLanguage(), { maximumFractionDigits: 1 });
const isMirrored = page?.dir === "rtl";
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/**
 * The chosen language's catalogue: that of the first view, or a later part's by its name. A module that failed while it
 * waited for its words would stay failed for as long as the page stands.
 * @param {string} [part]
 * @returns {Promise<any>}
 */
export async function loadCatalogue(part) {
  const words = () => import(`../i18n/${chosenLanguage()}${part ? `.${part}` : ""}.js`);
  return (await untilFetched(words)).default;
}

/** @param {string} sentence @param {Values} values */
function pluralForm(sentence, values) {
  if (!sentence.includes("|") || typeof values.n !== "number") return sentence;
  return sentence.split("|")[forms.indexOf(plural.select(values.n))];
}

/**
 * A value in the page's language; text of the other direction is isolated.
 * @param {string | number | null | undefined} value
 */
function formatValue(value) {
  if (typeof value === "number") return numbers.format(value);
  return value && (isMirrored || RIGHT_TO_LEFT.test(value)) ? `\u2068${value}\u2069` : (value ?? "");
}

/**
 * A function that returns the sentence of a key with its values in place.
 * @template {Record<string, string>} C
 * @param {C} catalogue
 */
export const translator =
  (catalogue) =>
  (/** @type {keyof C} */ key, /** @type {Values} */ values = {}) =>
    pluralForm(catalogue[key], values).replace(/\{(\w+)\}/g, (_, name) => formatValue(values[name]));

/**
 * A function that returns a sentence in pieces, values apart, so that a view can set them in bold.
 * @template {Record<string, string>} C
 * @param {C} catalogue
 */
export const piecesOf =
  (catalogue) =>
  (/** @type {keyof C} */ key, /** @type {Values} */ values = {}) =>
    pluralForm(catalogue[key], values)
      .split(/\{(\w+)\}/)
      .map((part, i) => ({ text: i % 2 ? formatValue(values[part]) : part, isValue: i % 2 === 1 }))
      .filter((part) => part.text);

/** @type {Catalogue} */
export const catalogue = await loadCatalogue();

/** The sentence of a key with its values in place. */
export const t = translator(catalogue);
