// @ts-check
/** Guided reading: which passages of a lesson stand open, and whether the next one waits for its learner. Pure. */

/** @import { Lesson } from "../types.d.ts" */
/** @import { Turn } from "./transcript.js" */

/** @typedef {Pick<Lesson, "question" | "reading">} Open what is open in a lesson: a question, or a passage alone */

const isPassage = (/** @type {Turn} */ turn) => turn.reading !== null;

/** Whether a turn has its learner read a passage that nothing is asked about. @param {Turn | undefined} turn */
export const isReadAlone = (turn) => turn !== undefined && isPassage(turn) && turn.question === null;

/** The id of what is to be read now: of its question, else of its turn. @param {Turn[]} turns @param {Open | null} open */
export const idToRead = (turns, open) => open?.question?.id ?? (open?.reading && turns.findLast(isPassage)?.id) ?? null;

/**
 * The turn whose passage and question wait: what settled the last one is read first. Null if none does.
 * @param {Turn[]} turns @param {Open | null} open @param {boolean} begun whether its learner has gone on to it
 */
export function waitingTurn(turns, open, begun) {
  const at = turns.findLastIndex(isPassage);
  const last = turns[at];
  if (!last || begun || !(isNewQuestion(last, open) || (open?.reading && isReadAlone(last)))) return null;
  const before = turns.slice(0, at).findLast(isPassage);
  return before?.reading?.settledBy.length && !turns.slice(at + 1).length ? last : null;
}

/** @param {Turn} turn @param {Open | null} open */
function isNewQuestion(turn, open) {
  const question = open?.question;
  const isNew = question?.reading && question.attempts === 0 && question.help.length === 0 && !question.compare;
  return Boolean(isNew && turn.question?.startsWith(question.prompt));
}

/**
 * The turn whose passage stands open: the newest one before what waits; the others are folded.
 * @param {Turn[]} turns @param {Turn | null} waiting
 */
export const openPassage = (turns, waiting) => turns.findLast((turn) => isPassage(turn) && turn !== waiting) ?? null;
