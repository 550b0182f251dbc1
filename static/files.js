// @ts-check
/** Which of the chosen files a path takes, and why not the others. Pure. */

import { inRow, size } from "./format.js";
import { t } from "./i18n.js";

/** @typedef {{ name: string, size: number }} Named */
/** @typedef {{ uploadMaxBytes: number, uploadMaxFiles: number, uploadTypes: string[] }} Limits */

/** The sentence that says why a file is refused, or null. @param {Named} file @param {Limits} limits */
export function refusal(file, limits) {
  const name = file.name;
  if (!limits.uploadTypes.some((type) => name.toLowerCase().endsWith(type))) return t("ask.wrong_type", { name, types: inRow(limits.uploadTypes) });
  if (!file.size) return t("ask.empty_file", { name });
  if (file.size > limits.uploadMaxBytes) return t("ask.too_big", { name, size: size(file.size), limit: size(limits.uploadMaxBytes) });
  return null;
}

/**
 * The files after more were chosen, and one sentence per file that was left out.
 * @template {Named} F @param {F[]} kept @param {F[]} chosen @param {Limits} limits @returns {{ files: F[], refused: string[] }}
 */
export function taken(kept, chosen, limits) {
  const files = [...kept];
  const refused = [];
  for (const file of chosen) {
    const reason = files.some((each) => each.name === file.name && each.size === file.size) ? t("ask.same", { name: file.name }) : refusal(file, limits);
    if (reason) refused.push(reason);
    else if (files.length >= limits.uploadMaxFiles) refused.push(t("ask.too_many", { n: limits.uploadMaxFiles, name: file.name }));
    else files.push(file);
  }
  return { files, refused };
}

/** Title and further words of a request: the first line names the path, a first file does where there are no words. @param {string} words @param {Named[]} files */
export function requestOf(words, files) {
  const text = words.trim();
  const first = text.split("\n")[0].trim();
  const title = first ? cut(first, 120) : (files[0]?.name ?? "").replace(/\.[^.]+$/, "").replace(/[-_]+/g, " ").trim();
  return { title, desc: text && text !== title ? text : null };
}

/** @param {string} line @param {number} most */
function cut(line, most) {
  if (line.length <= most) return line;
  const space = line.lastIndexOf(" ", most - 1);
  return `${line.slice(0, space > most / 2 ? space : most - 1)}…`;
}
