// @ts-check
/** Text as it is read aloud: the language that it is in, and its sentences. Pure. */

/** Words that are frequent in one language and rare in the others. @type {Record<string, string>} */
const FREQUENT = {
  en: "the and of is that with for are what how",
  de: "der die das und ist nicht ein mit den wie",
  fr: "le les des est une dans que pour qui avec",
  es: "el los las es una que por con del para",
  it: "il gli che per una con del della sono come",
  pt: "o os as que uma para com não dos como",
};

/**
 * The language whose frequent words the text has most; where it has none of them, `fallback`.
 * @param {string} text @param {string} fallback
 */
export function languageOf(text, fallback) {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = Object.entries(FREQUENT).map(([tag, list]) => {
    const frequent = new Set(list.split(" "));
    return { tag, count: words.filter((word) => frequent.has(word)).length };
  });
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count ? most.tag : fallback;
}

/**
 * Where each sentence begins and ends, without the space around it.
 * @param {string} text @param {string} language
 * @returns {{ from: number, to: number }[]}
 */
export function sentencesIn(text, language) {
  const found = [];
  for (const { segment, index } of new Intl.Segmenter(language, { granularity: "sentence" }).segment(text)) {
    const from = index + segment.length - segment.trimStart().length;
    const to = index + segment.trimEnd().length;
    if (/[\p{L}\p{N}]/u.test(segment)) found.push({ from, to });
  }
  return found;
}
