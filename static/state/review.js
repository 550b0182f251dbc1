// @ts-check
/** State of the review screen: what is due, the session, and the result that is shown before the next question. */

import { batch, signal } from "@preact/signals";
import { reviewsDue } from "../net/api.js";
import { onReconnect } from "../net/connection.js";
import * as reviewsApi from "../net/reviews_api.js";
import * as teachingApi from "../net/teaching_api.js";
import { pendingActions } from "./pending_actions.js";
import { tellTimeZone } from "./time_zone.js";

/** @import { ReviewReply, ReviewResult, ReviewSession, ReviewsDue, SelfMark } from "../types.d.ts" */

const CONFLICT = 409;

/** @typedef {ReturnType<typeof openReview>} OpenReview */

export function openReview() {
  const due = signal(/** @type {ReviewsDue | null} */ (null));
  const session = signal(/** @type {ReviewSession | null} */ (null));
  const result = signal(/** @type {ReviewResult | null} */ (null));
  const loading = signal(true);
  const problem = signal(/** @type {Error | null} */ (null));
  const { busy, refusal, act } = pendingActions(async (error) => {
    if (error.status === CONFLICT) await refresh();
  });
  let closed = false;

  /** Take up today's session, or start one where something is due today. */
  async function load() {
    loading.value = true;
    try {
      await tellTimeZone((await reviewsApi.settings()).timeZone);
      const found = await reviewsDue();
      const open = found.sessionId
        ? await reviewsApi.takeUp(found.sessionId)
        : found.today > 0
          ? await reviewsApi.start(null)
          : null;
      if (closed) return;
      batch(() => {
        [due.value, session.value, result.value, problem.value] = [found, open, null, null];
        loading.value = false;
      });
    } catch (error) {
      if (closed) return;
      batch(() => {
        problem.value = /** @type {Error} */ (error);
        loading.value = false;
      });
    }
  }

  /** Another session. @param {number | null} minutes null for what is left of the day */
  const startMore = (minutes) =>
    act("answer", async () => {
      session.value = await reviewsApi.start(minutes);
    });

  /** The session as it is by now, where another device went on or a question is gone. */
  async function refresh() {
    if (!session.value) return;
    try {
      session.value = await reviewsApi.takeUp(session.value.id);
    } catch (error) {
      problem.value = /** @type {Error} */ (error);
    }
  }

  /** @param {ReviewReply} reply */
  const show = (reply) =>
    batch(() => {
      session.value = reply.session;
      result.value = reply.result.mark === "to_compare" || reply.result.mark === "unread" ? null : reply.result;
      if (reply.result.mark === "unread") refusal.value = reply.result.feedback;
    });

  /** @param {string} itemId @param {{ answerText?: string, selectedOption?: string, seconds: number }} given */
  const answer = (itemId, given) =>
    act("answer", async () => {
      const reply = await reviewsApi.answer(session.value?.id ?? "", itemId, given);
      show(reply);
      return reply.result;
    });

  /** @param {string} itemId @param {SelfMark} mark */
  const selfMark = (itemId, mark) =>
    act("answer", async () => show(await reviewsApi.selfMark(session.value?.id ?? "", itemId, mark)));

  /** @param {string} itemId */
  const skip = (itemId) =>
    act("answer", async () => {
      session.value = await reviewsApi.skip(session.value?.id ?? "", itemId);
    });

  /** Keep the grade, or choose another, and show what is next. @param {string} grade */
  const grade = (grade) =>
    act("grade", async () => {
      const shown = result.value;
      if (shown && shown.grade !== grade) {
        const reply = await reviewsApi.chooseGrade(session.value?.id ?? "", shown.itemId, grade);
        session.value = reply.session;
      }
      await goOn();
    });

  async function goOn() {
    if (session.value?.endedAt) due.value = await reviewsDue();
    batch(() => {
      result.value = null;
      refusal.value = null;
    });
  }

  /** @param {string} questionId @param {string} reason */
  const contest = (questionId, reason) => act("contest", () => teachingApi.contest(questionId, reason));

  load();
  const unwatch = onReconnect(() => problem.value && load());
  return {
    due,
    session,
    result,
    loading,
    problem,
    busy,
    refusal,
    load,
    startMore,
    answer,
    selfMark,
    skip,
    grade,
    next: () => act("grade", goOn),
    contest,
    refresh,
    close: () => {
      closed = true;
      unwatch();
    },
  };
}
