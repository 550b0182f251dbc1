// @ts-check
/** Readable lines of an agent's entries: verb and object, repeated calls folded. Pure. */

import { shorten } from "./format.js";
import { has, pieces, t } from "../i18n/run.js";

/** @import { Entry, TextEntry, ToolEntry } from "../types.d.ts" */
/** @typedef {{ text: string, isValue: boolean }[]} Pieces */
/**
 * @typedef {{ key: string, kind: "text", entry: TextEntry }
 *   | { key: string, kind: "tool", entry: ToolEntry }
 *   | { key: string, kind: "many", tool: string, entries: ToolEntry[] }
 *   | { key: string, kind: "note", entry: any, isLast: boolean }} ReadableLine
 */

/** Least number of equal lines that fold into one. */
const FOLD_AT = 3;
const LONGEST_VALUE = 64;

/** @param {Entry} entry @returns {entry is ToolEntry} */
const succeeded = (entry) => entry.type === "tool" && entry.result?.ok === true;

/**
 * The entries in order, with repeated successful calls of one tool folded.
 * @param {Entry[]} entries
 * @returns {ReadableLine[]}
 */
export function groupLines(entries) {
  /** @type {ReadableLine[]} */
  const lines = [];
  for (let i = 0; i < entries.length;) {
    const entry = entries[i];
    const same = alike(entries, i);
    if (same.length >= FOLD_AT)
      lines.push({ key: `m${same[0].callId}`, kind: "many", tool: same[0].tool, entries: same });
    else if (entry.type === "text") lines.push({ key: `t${entry.blockId}`, kind: "text", entry });
    else if (entry.type === "tool") lines.push({ key: `c${entry.callId}`, kind: "tool", entry });
    else lines.push({ key: `n${i}`, kind: "note", entry, isLast: i === entries.length - 1 });
    i += same.length >= FOLD_AT ? same.length : 1;
  }
  return lines.filter((line) => line.kind !== "text" || line.entry.text.trim());
}

/**
 * The consecutive successful calls of one tool from here on.
 * @param {Entry[]} entries
 * @param {number} from
 * @returns {ToolEntry[]}
 */
function alike(entries, from) {
  const first = entries[from];
  /** @type {ToolEntry[]} */
  const found = [];
  for (let i = from; i < entries.length; i++) {
    const entry = entries[i];
    if (!succeeded(entry) || !succeeded(first) || entry.tool !== first.tool) break;
    found.push(entry);
  }
  return found;
}

/** A call in words. @param {ToolEntry} entry @returns {Pieces} */
export function toolPieces(entry) {
  const form = entry.result?.ok ? "done" : "doing";
  const key = `tool.${entry.tool}.${form}`;
  return has(key)
    ? pieces(key, valuesOf(entry))
    : pieces(`tool.other.${form}`, { tool: entry.tool.replaceAll("_", " ") });
}

/** @param {string} tool @param {number} n */
export function foldedPieces(tool, n) {
  const key = `tool.${tool}.many`;
  return has(key) ? t(key, { n }) : t("tool.other.many", { tool: tool.replaceAll("_", " "), n });
}

/** @param {ToolEntry} entry */
function valuesOf(entry) {
  const words = Object.entries(entry.input).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, shorten(value, LONGEST_VALUE)]] : [],
  );
  const list = Object.values(entry.input).find(Array.isArray);
  return { ...Object.fromEntries(words), n: list?.length ?? 0 };
}

/** Total duration of calls, in ms. @param {ToolEntry[]} entries */
export const totalDurationMs = (entries) => entries.reduce((sum, entry) => sum + (entry.result?.durationMs ?? 0), 0);
