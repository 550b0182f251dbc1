// @ts-check
/** A prompt in two parts: what is given, and what is asked. Pure. */

/** The last sentence, where it asks and others stand before it in plain words. */
const LAST = /^([\s\S]*[.!?:”"’)])\s+([^.!?\n]{8,}\?)$/u;
/** Code, lists, tables and formulas are not cut. */
const WHOLE = /^\s*([-*+>#|]|\d+[.)]\s)|```|\$|\|/m;

/** @param {string} prompt @returns {{ given: string, asked: string }} `given` is empty where all of it asks */
export function parted(prompt) {
  const found = WHOLE.test(prompt) ? null : prompt.trim().match(LAST);
  return found ? { given: found[1], asked: found[2] } : { given: "", asked: prompt };
}
