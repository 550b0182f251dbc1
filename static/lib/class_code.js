// @ts-check
/** Class codes as one types and reads them: eight characters in two groups of four. */

export const LENGTH = 8;
const GROUP = 4;

/** The characters of a code in a text, at most eight; which ones look alike, the server knows. @param {string} text */
export const codeOf = (text) =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .slice(0, LENGTH);

/** "KF7M QR3T". @param {string} code */
export const inGroups = (code) => `${code.slice(0, GROUP)} ${code.slice(GROUP)}`.trim();

/**
 * Where the caret stands in the groups, after this many characters of the code.
 * @param {number} characters
 */
export const caretAfter = (characters) => characters + (characters > GROUP ? 1 : 0);
