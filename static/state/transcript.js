// @ts-check
/** Transcript of a lesson: messages as turns with speaker, channel and text. Pure. */

/** @import { AnswerType, Attempt, ChatMessage, Checkpoint, Citation, Reading } from "../types.d.ts" */

/**
 * @typedef {{
 *   id: string,
 *   who: "tutor" | "learner",
 *   aside: boolean,
 *   text: string,
 *   question: string | null,
 *   drawn: boolean,
 *   mode: AnswerType | null,
 *   citations: Citation[],
 *   attempt: Attempt | null,
 *   reading: Reading | null,
 *   number: number,
 *   isRepeat: boolean,
 * }} Turn `number`: its place among the attempts at its question, from 1; 0 if it is none; `isRepeat`: whether the same
 *   words missed just before, so that the server keeps one attempt and its verdict holds for both
 */

const TYPE_LINE = /^question type\s*[:–-]\s*(text|code|draw|mcq)\s*$/im;
const QUESTION = /^question:?\s*$/im;
const TAG = /^\[(ANSWER|CLARIFICATION)\]\s*\n?/;
const MODE = /^Mode:\s*(text|code|draw|mcq)\s*\n?/;
/** The server's marker for an answer with a drawing. */
const DRAWN = "[Drawing image attached]";

/**
 * The tutor's text, and the question at its end.
 * @param {string} content
 * @returns {{ text: string, question: string | null }}
 */
export function splitQuestion(content) {
  const type = content.match(TYPE_LINE);
  if (!type || type.index === undefined) return { text: content.trim(), question: null };
  const rest = content.slice(type.index + type[0].length);
  return { text: content.slice(0, type.index).trim(), question: rest.replace(QUESTION, "").trim() || null };
}

/**
 * A learner's message without its protocol tags.
 * @param {string} content
 * @returns {{ text: string, drawn: boolean, mode: AnswerType | null }}
 */
export function withoutTags(content) {
  const words = content.replace(TAG, "");
  const mode = words.match(MODE);
  return {
    text: words.replace(MODE, "").replace(DRAWN, "").trim(),
    drawn: words.includes(DRAWN),
    mode: /** @type {AnswerType | null} */ (mode?.[1] ?? null),
  };
}

/** @param {ChatMessage[]} messages oldest first @returns {Turn[]} */
export function turnsOf(messages) {
  let aside = false;
  const tried = new Map();
  /** @type {{ text: string, attempt: Attempt } | null} */
  let missed = null;
  return messages
    .filter((message) => message.role !== "system")
    .map((message) => {
      const { id, citations, attempt, reading } = message;
      if (message.role === "user") {
        aside = message.kind === "hint_request";
        const number = attempt ? (tried.get(attempt.questionId) ?? 0) + 1 : 0;
        if (attempt) tried.set(attempt.questionId, number);
        const words = withoutTags(message.content);
        const isRepeat = !attempt && words.mode !== null && words.text === missed?.text;
        if (attempt) missed = attempt.correct === false ? { text: words.text, attempt } : null;
        return {
          id,
          citations,
          attempt: isRepeat && missed ? missed.attempt : attempt,
          reading,
          number,
          isRepeat,
          who: /** @type {const} */ ("learner"),
          aside,
          question: null,
          ...words,
        };
      }
      return {
        id,
        citations,
        attempt,
        reading,
        number: 0,
        isRepeat: false,
        who: /** @type {const} */ ("tutor"),
        aside: aside || message.kind === "hint_response",
        drawn: false,
        mode: null,
        ...(aside ? { text: splitQuestion(message.content).text, question: null } : splitQuestion(message.content)),
      };
    });
}

/**
 * A tutor's text without the help at its end that its checkpoint shows.
 * @param {string} text @param {string[]} help
 */
export function withoutHelp(text, help) {
  const shown = help.find((each) => text.endsWith(each.trim()));
  return shown === undefined ? text : text.slice(0, -shown.trim().length).trim();
}

/**
 * Whether the tutor has said a help text in a lesson: one that it had better words for waits closed beside its question.
 * @param {Turn[]} turns @param {string} help
 */
export function isHelpSaid(turns, help) {
  return turns.some((turn) => turn.who === "tutor" && turn.text.includes(help.trim()));
}

/**
 * The first hint of a question that is still closed; -1 if there is none.
 * @param {Turn[]} turns @param {string[]} help @param {number[]} read those that the learner has opened
 */
export const firstClosedHint = (turns, help, read) =>
  help.findIndex((hint, i) => !read.includes(i) && !isHelpSaid(turns, hint));

/**
 * A lesson's turns without what its open checkpoint shows: each help text stands in one place, and what asked for it by
 * a button goes with it.
 * @param {Turn[]} turns @param {Pick<Checkpoint, "prompt" | "help"> | null} open
 */
export function turnsBeside(turns, open) {
  if (!open?.help.length) return turns;
  const kept = turns.map((turn) =>
    turn.who === "tutor" ? { ...turn, text: withoutHelp(turn.text, open.help) } : turn,
  );
  const isEmpty = (/** @type {Turn | undefined} */ turn) =>
    turn?.who === "tutor" && !turn.text && (turn.question?.startsWith(open.prompt) ?? true);
  const isPush = (/** @type {Turn} */ turn) => turn.who === "learner" && !turn.attempt && !turn.mode;
  return kept.filter((turn, i) => !isEmpty(turn) && !(isPush(turn) && isEmpty(kept[i + 1])));
}

/**
 * A text cut into marked and plain pieces: each span at its first occurrence, without overlaps.
 * @param {string} words @param {string[]} spans literal @returns {{ text: string, marked: boolean }[]}
 */
export function markSpans(words, spans) {
  const ends = spans
    .filter(Boolean)
    .map((span) => ({ from: words.indexOf(span), to: words.indexOf(span) + span.length }))
    .filter(({ from }) => from >= 0);
  ends.sort((one, other) => one.from - other.from || other.to - one.to);
  const pieces = [];
  let at = 0;
  for (const { from, to } of ends) {
    if (to <= at) continue;
    const start = Math.max(from, at);
    if (start > at) pieces.push({ text: words.slice(at, start), marked: false });
    pieces.push({ text: words.slice(start, to), marked: true });
    at = to;
  }
  return at < words.length ? [...pieces, { text: words.slice(at), marked: false }] : pieces;
}

/** The message of an answer. @param {AnswerType} mode @param {string} text */
export const answerMessage = (mode, text) => `[ANSWER]\nMode: ${mode === "mcq" ? "text" : mode}\n${text}`;
/** The message of a side question. @param {string} text */
export const sideQuestionMessage = (text) => `[CLARIFICATION]\n${text}`;
