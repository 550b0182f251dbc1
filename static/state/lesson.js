// @ts-check
/** State of a lesson: transcript, open checkpoint, and the reply that is streaming. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { t } from "../i18n/learn.js";
import { fetchSentence } from "../lib/server_words.js";
import { ApiError, run as runOf } from "../net/api.js";
import { onReconnect } from "../net/connection.js";
import * as teachingApi from "../net/teaching_api.js";
import { activeRuns } from "./tab_stream.js";
import { splitQuestion, turnsOf } from "./transcript.js";

/** @import { ChatMessage, ChatSession, Lesson, SelfMark } from "../types.d.ts" */
/** @import { Move } from "../net/teaching_api.js" */
/**
 * @typedef {{
 *   content: string,
 *   text: string,
 *   aside: boolean,
 *   drawing: string | null,
 *   move?: Move,
 *   selfMark?: SelfMark,
 *   sure?: boolean,
 * }} Words what a learner sends: as it travels, and as it is shown
 */
/** @typedef {ReturnType<typeof openLesson>} OpenLesson */

const OPENING = { content: "", text: "", aside: false, drawing: null };

/** The newest session that has not ended, else the newest. @param {ChatSession[]} sessions */
const sessionToContinue = (sessions) => sessions.findLast((session) => !session.endedAt) ?? sessions.at(-1) ?? null;

/**
 * The session to continue, or a new one. A finished lesson starts over once later answers show that it is needed.
 * @param {string} nodeId
 */
async function sessionOn(nodeId) {
  const found = sessionToContinue(await teachingApi.sessions(nodeId));
  const isOver = found?.endedAt && (await teachingApi.lesson(found.id)).completed;
  return found && (!found.endedAt || isOver) ? found : teachingApi.startSession(nodeId);
}

/** Why a turn failed, and that nothing is lost. @param {import("../types.d.ts").RunError} error */
const failureWords = async (error) => t("tu.failed", { why: (await fetchSentence(error)).trim().replace(/\.$/, "") });

/** @param {string} nodeId */
export function openLesson(nodeId) {
  const session = signal(/** @type {ChatSession | null} */ (null));
  const messages = signal(/** @type {ChatMessage[]} */ ([]));
  const state = signal(/** @type {Lesson | null} */ (null));
  /** `after`: the number of messages before it. */
  const sending = signal(/** @type {Words & { after: number } | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  /** Whether the tutor's last message is new to this page; false while it speaks. */
  const answered = signal(false);
  /** Whether the learner has sent something from this page: then the focus may follow the questions. */
  const spoken = signal(false);
  /** Whether the question that was open has been taken back: a second look found a fault in it. */
  const withdrawn = signal(false);
  /** Mastery before its last change on this page. */
  const before = signal(/** @type {number | null} */ (null));
  let closed = false;
  let shown = false;
  /** Numbers of the refreshes that were asked for, and of the newest that came: an older one tells what is past. */
  const refreshes = { asked: 0, came: 0 };
  /** The newest message when the tutor was last silent. @type {string | null} */
  let known = null;

  const turns = computed(() => turnsOf(messages.value));
  const newest = computed(() => messages.value.at(-1)?.id ?? null);
  const ended = computed(() => Boolean(session.value?.endedAt));
  /** The run of this lesson that has not ended, as far as the stream has told. */
  const active = computed(() => {
    const lane = session.value && `conversation:${session.value.id}`;
    return lane ? (Object.values(activeRuns.value).find((root) => root.lane === lane && !root.status) ?? null) : null;
  });
  /** Runs whose reply came before the stream told of them: their late events lock no button again. */
  const answeredEarly = new Set();
  /** The run that answers now, also if another tab or an earlier load started it. */
  const run = computed(() => (active.value && answeredEarly.has(active.value.rootId) ? null : active.value));
  /** The tutor's reply so far. */
  const live = computed(() => {
    const entries = Object.values(run.value?.agents ?? {}).flatMap((agent) => agent.entries);
    return entries
      .filter((entry) => entry.type === "text" && entry.of === "message")
      .map((entry) => /** @type {any} */ (entry).text)
      .join("\n\n");
  });
  /** The grade of the answer that is being replied to, as soon as there is one. */
  const graded = computed(
    () =>
      Object.values(run.value?.agents ?? {})
        .map((agent) => agent.graded)
        .findLast((grade) => grade !== null) ?? null,
  );
  /** Whether the tutor is replying in the lesson, not to a side question. */
  const speaking = computed(() => live.value !== "" && !sending.value?.aside);
  /** The sent message until it is in the transcript, which may be loaded before its reply comes. */
  const unheard = computed(() => (sending.value?.after === messages.value.length ? sending.value : null));
  const working = computed(() => sending.value !== null || run.value !== null);

  /** The load that goes on, which a second one joins: two would begin two sessions. @type {Promise<void> | null} */
  let loading = null;
  function load() {
    loading ??= loadOnce().finally(() => {
      loading = null;
    });
    return loading;
  }

  async function loadOnce() {
    try {
      const found = session.value ?? (await sessionOn(nodeId));
      if (closed) return;
      session.value = found;
      await refresh();
      if (!closed && !messages.value.length && !run.value && !ended.value) await send(OPENING);
    } catch (error) {
      if (!closed) problem.value = /** @type {Error} */ (error);
    }
  }

  /** Load everything again: the server's state wins. */
  async function refresh() {
    const id = session.value?.id;
    if (!id) return;
    const number = ++refreshes.asked;
    const [said, now, sessions] = await Promise.all([
      teachingApi.messages(id),
      teachingApi.lesson(id),
      teachingApi.sessions(nodeId),
    ]);
    if (closed || number < refreshes.came) return;
    refreshes.came = number;
    batch(() => {
      if (said.length > messages.value.length) {
        refusal.value = null; // the failed request has gone through
      }
      messages.value = said;
      if (now.question) withdrawn.value = false;
      if (state.value && state.value.mastery !== now.mastery) before.value = state.value.mastery;
      state.value = now;
      problem.value = null;
      session.value = sessions.find((each) => each.id === id) ?? session.value;
      if (!shown) known = newest.peek();
      shown = true;
    });
  }

  /**
   * Say something, and wait for the reply; it is heard as it is written.
   * @param {Words} words
   * @returns {Promise<boolean>} whether it was taken
   */
  async function send(words) {
    if (sending.value || !session.value) return false;
    const saidBefore = messages.value.length;
    batch(() => {
      sending.value = { ...words, after: saidBefore };
      refusal.value = null;
      spoken.value ||= words !== OPENING;
    });
    try {
      const asked = words.aside ? null : (state.value?.question?.id ?? null);
      const reply = await teachingApi.sendMessage(session.value.id, words, asked);
      await refresh();
      if (messages.value.length > saidBefore) {
        if (reply.runId && !activeRuns.value[reply.runId]) answeredEarly.add(reply.runId);
        return true;
      }
      const run = reply.runId ? await runOf(reply.runId) : null;
      if (run && !run.endedAt) return true; // it takes longer, and is heard to its end
      refusal.value = run?.error ? await failureWords(run.error) : splitQuestion(reply.message).text;
      return false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal.value = error.message;
      return false;
    } finally {
      sending.value = null;
    }
  }

  /** Load everything again, and retry the opening if it failed. */
  async function again() {
    batch(() => {
      problem.value = null;
      refusal.value = null;
    });
    await load();
  }

  async function refreshWhileAway() {
    try {
      await refresh();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // what stands on the page stays until the line is back
    }
  }

  /**
   * The run that was last active, and the number of messages before it.
   * @type {{ id: string, before: number } | null}
   */
  let heard = null;
  const stopWatching = effect(() => {
    const id = active.value?.rootId ?? null;
    if (id) {
      heard ??= { id, before: untracked(() => messages.value.length) };
    } else if (heard) {
      const { before } = heard;
      const error = untracked(() => activeRuns.value)[heard.id]?.error ?? null;
      heard = null;
      untracked(async () => {
        await refreshWhileAway();
        if (error && !sending.value && messages.value.length === before) refusal.value = await failureWords(error);
      });
    }
  });
  /** The question whose key is being checked while the learner reads it. @type {string | null} */
  let checked = null;
  const stopChecking = effect(() => {
    const id = state.value?.question?.id ?? null;
    const isChecked = id && Object.values(activeRuns.value).some((root) => root.lane === `key_check:new:${id}`);
    if (isChecked) {
      checked = id;
    } else if (checked && checked === id) {
      checked = null;
      untracked(async () => {
        await refreshWhileAway();
        withdrawn.value = !closed && !working.value && state.value?.question === null;
      });
    }
  });
  const untold = effect(() => {
    const [isBusy, now] = [working.value, newest.value];
    if (!shown || isBusy) answered.value = false;
    else if (now !== known) {
      known = now;
      answered.value = true;
    }
  });
  const stopOnReconnect = onReconnect(() => {
    if (!session.value || problem.value) again();
    else refreshWhileAway();
  });

  function close() {
    closed = true;
    stopWatching();
    stopChecking();
    untold();
    stopOnReconnect();
  }

  load();
  return {
    nodeId,
    session,
    turns,
    state,
    before,
    sending,
    unheard,
    refusal,
    problem,
    withdrawn,
    ended,
    run,
    live,
    graded,
    speaking,
    working,
    answered,
    spoken,
    again,
    send,
    close,
  };
}
