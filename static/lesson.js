// @ts-check
/** One lesson as a screen has it: what was said, what is asked, what is being said right now. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ApiError, run as runOf } from "./api.js";
import * as learning from "./learning.js";
import { onReturn } from "./net.js";
import { going } from "./tab.js";
import { parted, turnsOf } from "./talk.js";

/** @import { ChatMessage, ChatSession, Lesson } from "./types.d.ts" */
/** @typedef {{ content: string, text: string, aside: boolean, drawing: string | null }} Words what a learner sends: as it travels, and as it is shown */
/** @typedef {ReturnType<typeof openLesson>} OpenLesson */

const OPENING = { content: "", text: "", aside: false, drawing: null };

/** The session that goes on: the newest that has not ended, else the newest of all. @param {ChatSession[]} sessions */
const chosen = (sessions) => sessions.findLast((session) => !session.endedAt) ?? sessions.at(-1) ?? null;

/** The session to go on with. What was over is taught anew where later answers have shown that it is not firm any more. @param {string} nodeId */
async function sessionOn(nodeId) {
  const found = chosen(await learning.sessions(nodeId));
  const isOver = found?.endedAt && (await learning.lesson(found.id)).completed;
  return found && (!found.endedAt || isOver) ? found : learning.beginSession(nodeId);
}

/** @param {string} nodeId */
export function openLesson(nodeId) {
  const session = signal(/** @type {ChatSession | null} */ (null));
  const messages = signal(/** @type {ChatMessage[]} */ ([]));
  const state = signal(/** @type {Lesson | null} */ (null));
  /** `after`: how many messages stood before it. */
  const sending = signal(/** @type {Words & { after: number } | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  /** Whether what the tutor said last is news to this page; nothing is while it speaks. */
  const answered = signal(false);
  /** Whether the learner has said something on this page: from then on the focus may follow the questions. */
  const spoken = signal(false);
  /** What mastery was before it last moved on this page. */
  const before = signal(/** @type {number | null} */ (null));
  let closed = false;
  let shown = false;
  /** The newest message when the tutor was last silent. @type {string | null} */
  let known = null;

  const turns = computed(() => turnsOf(messages.value));
  const newest = computed(() => messages.value.at(-1)?.id ?? null);
  const ended = computed(() => Boolean(session.value?.endedAt));
  /** The run that answers now, whoever began it: this page, another tab, or this page before a reload. */
  const run = computed(() => {
    const lane = session.value && `conversation:${session.value.id}`;
    return lane ? Object.values(going.value).find((root) => root.lane === lane && !root.status) ?? null : null;
  });
  /** What the tutor has said so far of its reply. */
  const live = computed(() => {
    const entries = Object.values(run.value?.agents ?? {}).flatMap((agent) => agent.entries);
    return entries.filter((entry) => entry.type === "text" && entry.of === "message").map((entry) => /** @type {any} */ (entry).text).join("\n\n");
  });
  /** Whether the tutor's words to the lesson, not to a side question, are coming. */
  const speaking = computed(() => live.value !== "" && !sending.value?.aside);
  /** What is sent and does not stand among the messages yet: they may come before its reply does, where the line was cut. */
  const unheard = computed(() => (sending.value?.after === messages.value.length ? sending.value : null));
  const working = computed(() => sending.value !== null || run.value !== null);

  async function load() {
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

  /** Ask for everything anew: what the server has is the truth. */
  async function refresh() {
    const id = session.value?.id;
    if (!id) return;
    const [said, now, sessions] = await Promise.all([learning.messages(id), learning.lesson(id), learning.sessions(nodeId)]);
    if (closed) return;
    batch(() => {
      if (said.length > messages.value.length) {
        refusal.value = null; // what could not be said or heard has been
      }
      messages.value = said;
      if (state.value && state.value.mastery !== now.mastery) before.value = state.value.mastery;
      state.value = now;
      problem.value = null;
      session.value = sessions.find((each) => each.id === id) ?? session.value;
      if (!shown) known = newest.peek();
      shown = true;
    });
  }

  /** Say something, and wait for the reply; it is heard as it is written. @param {Words} words @returns {Promise<boolean>} whether it was taken */
  async function send(words) {
    if (sending.value || !session.value) return false;
    const saidBefore = messages.value.length;
    batch(() => { sending.value = { ...words, after: saidBefore }; refusal.value = null; spoken.value ||= words.content !== ""; });
    try {
      const reply = await learning.say(session.value.id, words.content, words.drawing);
      await refresh();
      if (messages.value.length > saidBefore) return true;
      if (reply.runId && !(await runOf(reply.runId)).endedAt) return true; // it takes longer, and is heard to its end
      refusal.value = parted(reply.message).text;
      return false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal.value = error.message;
      return false;
    } finally {
      sending.value = null;
    }
  }

  /** Everything anew, and the opening again where it failed. */
  async function again() {
    batch(() => { problem.value = null; refusal.value = null; });
    await load();
  }

  async function lookAgain() {
    try {
      await refresh();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // what stands on the page stays until the line is back
    }
  }

  /** The run that was last seen going, and how much had been said before it. @type {{ id: string, before: number } | null} */
  let heard = null;
  const unwatch = effect(() => {
    const id = run.value?.rootId ?? null;
    if (id) {
      heard ??= { id, before: untracked(() => messages.value.length) };
    } else if (heard) {
      const { before } = heard;
      const error = untracked(() => going.value)[heard.id]?.error ?? null;
      heard = null;
      untracked(async () => {
        await lookAgain();
        if (error && !sending.value && messages.value.length === before) refusal.value = error.message;
      });
    }
  });
  const untold = effect(() => {
    const [isBusy, now] = [working.value, newest.value];
    if (!shown || isBusy) answered.value = false;
    else if (now !== known) { known = now; answered.value = true; }
  });
  const unreturn = onReturn(() => { if (!session.value || problem.value) again(); else lookAgain(); });

  function close() {
    closed = true;
    unwatch();
    untold();
    unreturn();
  }

  load();
  return { nodeId, session, turns, state, before, sending, unheard, refusal, problem, ended, run, live, speaking, working, answered, spoken, again, send, close };
}
