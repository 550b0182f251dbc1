// @ts-check
/** Selection of files for upload: which are accepted, and why others are not. Pure. */

import { t } from "../i18n/home.js";
import { commaJoined, size } from "./format.js";

/** @typedef {{ name: string, size: number }} Named */
/** @typedef {{ uploadMaxBytes: number, uploadMaxFiles: number, uploadTypes: string[] }} Limits */

/** The reason why a file is refused, or null. @param {Named} file @param {Limits} limits */
export function refusalOf(file, limits) {
  const name = file.name;
  if (!limits.uploadTypes.some((type) => name.toLowerCase().endsWith(type)))
    return t("ask.wrong_type", { name, types: commaJoined(limits.uploadTypes) });
  if (!file.size) return t("ask.empty_file", { name });
  if (file.size > limits.uploadMaxBytes)
    return t("ask.too_big", { name, size: size(file.size), limit: size(limits.uploadMaxBytes) });
  return null;
}

/**
 * The selected files with more added, and a reason for each file that was refused.
 * @template {Named} F
 * @param {F[]} kept
 * @param {F[]} chosen
 * @param {Limits} limits
 * @returns {{ files: F[], refused: string[] }}
 */
export function addFiles(kept, chosen, limits) {
  const files = [...kept];
  const refused = [];
  for (const file of chosen) {
    const reason = files.some((each) => each.name === file.name && each.size === file.size)
      ? t("ask.same", { name: file.name })
      : refusalOf(file, limits);
    if (reason) refused.push(reason);
    else if (files.length >= limits.uploadMaxFiles)
      refused.push(t("ask.too_many", { n: limits.uploadMaxFiles, name: file.name }));
    else files.push(file);
  }
  return { files, refused };
}

/**
 * Title and description of a new path: the title is the first line, or the first file's name without words.
 * @param {string} words
 * @param {Named[]} files
 */
export function requestOf(words, files) {
  const text = words.trim();
  const first = text.split("\n")[0].trim();
  const title = first
    ? cut(first, 120)
    : (files[0]?.name ?? "")
        .replace(/\.[^.]+$/, "")
        .replace(/[-_]+/g, " ")
        .trim();
  return { title, desc: text && text !== title ? text : null };
}

/** @param {string} line @param {number} most */
function cut(line, most) {
  if (line.length <= most) return line;
  const space = line.lastIndexOf(" ", most - 1);
  return `${line.slice(0, space > most / 2 ? space : most - 1)}…`;
}
