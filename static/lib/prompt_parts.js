// @ts-check
/** Prompt split into its premise and its question. Pure. */

/** The last sentence, if it is a question after other plain sentences. */
const LAST = /^([\s\S]*[.!?:”"’)])\s+([^.!?\n]{8,}\?)$/u;
/** Markup of code, lists, tables and formulas, which are not split. */
const WHOLE = /^\s*([-*+>#|]|\d+[.)]\s)|```|\$|\|/m;

/**
 * @param {string} prompt
 * @returns {{ given: string, asked: string }} `given` is empty if the whole prompt is the question
 */
export function splitPrompt(prompt) {
  const found = WHOLE.test(prompt) ? null : prompt.trim().match(LAST);
  return found ? { given: found[1], asked: found[2] } : { given: "", asked: prompt };
}
