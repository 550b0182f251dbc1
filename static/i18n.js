// @ts-check
/** Words for people: one catalogue per language, one way to read it. `language.js` has set the page's language; its catalogue alone is fetched. */

/** @typedef {typeof import("./i18n/en.js").default} Catalogue */
/** @typedef {keyof Catalogue} Key */
/** @typedef {Record<string, string | number | null | undefined>} Values */

const page = globalThis.document?.documentElement; // outside a browser there is none, and English holds
/** The order in which a sentence has its plural forms; a language leaves out those that it does not tell apart. */
const FORMS = ["zero", "one", "two", "few", "many", "other"];

/** The tag of the language that the page is in. */
export const chosenLanguage = () => page?.lang || "en";

/** All that the page can be in, each under its own name. @returns {{ tag: string, name: string }[]} */
export const languages = () => (page?.dataset.languages ?? "en").split(" ").map((tag) => ({ tag, name: new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag }));

/** Keep the choice in this browser, and load the page anew in that language. @param {string} tag one of `languages()` */
export const chooseLanguage = (tag) => dispatchEvent(new CustomEvent("sprout:language", { detail: tag }));

const plural = new Intl.PluralRules(chosenLanguage());
const forms = FORMS.filter((form) => plural.resolvedOptions().pluralCategories.includes(/** @type {Intl.LDMLPluralRule} */ (form)));
const numbers = new Intl.NumberFormat(chosenLanguage(), { maximumFractionDigits: 1 });
const isMirrored = page?.dir === "rtl";
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/** The chosen language's catalogue of a part of the page: that of the first view, or, by its name, of a screen that comes later. @param {string} [part] @returns {Promise<any>} */
export const catalogueOf = async (part) => (await import(`./i18n/${chosenLanguage()}${part ? `.${part}` : ""}.js`)).default;

/** @param {string} sentence @param {Values} values */
function chosen(sentence, values) {
  if (!sentence.includes("|") || typeof values.n !== "number") return sentence;
  return sentence.split("|")[forms.indexOf(plural.select(values.n))];
}

/** A value as the language writes it; words that may run the other way keep to themselves. @param {string | number | null | undefined} value */
function written(value) {
  if (typeof value === "number") return numbers.format(value);
  return value && (isMirrored || RIGHT_TO_LEFT.test(value)) ? `\u2068${value}\u2069` : value ?? "";
}

/** How a catalogue is read: the sentence of a key with its values in place. @template {Record<string, string>} C @param {C} catalogue */
export const reader = (catalogue) => (/** @type {keyof C} */ key, /** @type {Values} */ values = {}) =>
  chosen(catalogue[key], values).replace(/\{(\w+)\}/g, (_, name) => written(values[name]));

/** @type {Catalogue} */
const catalogue = await catalogueOf();

/** The sentence of a key with its values in place. */
export const t = reader(catalogue);

/** The sentence in pieces, its values apart, so that a view can set them in bold. @param {Key} key @param {Values} [values] @returns {{ text: string, isValue: boolean }[]} */
export function pieces(key, values = {}) {
  const parts = chosen(catalogue[key], values).split(/\{(\w+)\}/);
  return parts.map((part, i) => ({ text: i % 2 ? written(values[part]) : part, isValue: i % 2 === 1 })).filter((part) => part.text);
}

/** Whether the catalogue has such a key. @param {string} key @returns {key is Key} */
export const has = (key) => key in catalogue;
