// @ts-check
/** Browser and system that a user agent names. Pure. */

/** The first that fits counts: most browsers also call themselves Chrome or Safari. @type {[RegExp, string][]} */
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPT|OPiOS)\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\bChromium\//, "Chromium"],
  [/(?:\b|Headless)(?:Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];
/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMacintosh\b/, "Mac"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];
/** A program: its name, a version, and at most some words in brackets. */
const PROGRAM = /^([A-Za-z][\w.-]*)\/[\w.-]+(?: \(.*\))?$/;

/**
 * The names that a user agent stands for; null for what it does not tell.
 * @param {string} userAgent
 * @returns {{ browser: string | null, system: string | null }}
 */
export function namesOf(userAgent) {
  const first = (/** @type {[RegExp, string][]} */ names) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  return { browser: first(BROWSERS) ?? PROGRAM.exec(userAgent)?.[1] ?? null, system: first(SYSTEMS) };
}
