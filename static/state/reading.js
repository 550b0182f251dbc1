// @ts-check
/** Guided reading: which passages of a lesson stand open, and whether the next one waits for its learner. Pure. */

/** @import { Checkpoint } from "../types.d.ts" */
/** @import { Turn } from "./transcript.js" */

const isPassage = (/** @type {Turn} */ turn) => turn.reading !== null;

/**
 * The turn whose passage and question wait: what settled the last one is read first. Null if none does.
 * @param {Turn[]} turns @param {Checkpoint | null} open @param {boolean} begun whether its learner has gone on to it
 */
export function waitingTurn(turns, open, begun) {
  const at = turns.findLastIndex(isPassage);
  const last = turns[at];
  const isNew = open?.reading && open.attempts === 0 && open.help.length === 0 && !open.compare;
  if (!last || begun || !isNew || !last.question?.startsWith(open.prompt)) return null;
  const before = turns.slice(0, at).findLast(isPassage);
  return before?.reading?.settledBy.length && !turns.slice(at + 1).length ? last : null;
}

/**
 * The turn whose passage stands open: the newest one before what waits; the others are folded.
 * @param {Turn[]} turns @param {Turn | null} waiting
 */
export const openPassage = (turns, waiting) => turns.findLast((turn) => isPassage(turn) && turn !== waiting) ?? null;
