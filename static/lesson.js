// @ts-check
/** One lesson as a screen has it: what was said, what is asked, what is being said right now. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ApiError } from "./api.js";
import * as learning from "./learning.js";
import { going } from "./tab.js";
import { turnsOf } from "./talk.js";

/** @import { ChatMessage, ChatSession, Lesson } from "./types.d.ts" */
/** @typedef {{ content: string, text: string, aside: boolean, drawing: string | null }} Words what a learner sends: as it travels, and as it is shown */
/** @typedef {ReturnType<typeof openLesson>} OpenLesson */

/** The session that goes on: the newest that has not ended, else the newest of all. @param {ChatSession[]} sessions */
const chosen = (sessions) => sessions.findLast((session) => !session.endedAt) ?? sessions.at(-1) ?? null;

/** @param {string} nodeId */
export function openLesson(nodeId) {
  const session = signal(/** @type {ChatSession | null} */ (null));
  const messages = signal(/** @type {ChatMessage[]} */ ([]));
  const state = signal(/** @type {Lesson | null} */ (null));
  const sending = signal(/** @type {Words | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  const problem = signal(/** @type {Error | null} */ (null));
  let closed = false;

  const turns = computed(() => turnsOf(messages.value));
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
  const working = computed(() => sending.value !== null || run.value !== null);

  async function load() {
    try {
      const found = session.value ?? chosen(await learning.sessions(nodeId)) ?? (await learning.beginSession(nodeId));
      if (closed) return;
      session.value = found;
      await refresh();
      if (!messages.value.length && !run.value && !ended.value) await send({ content: "", text: "", aside: false, drawing: null });
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
      messages.value = said;
      state.value = now;
      problem.value = null;
      session.value = sessions.find((each) => each.id === id) ?? session.value;
    });
  }

  /** Say something, and wait for the reply; it is heard as it is written. @param {Words} words @returns {Promise<boolean>} whether it was taken */
  async function send(words) {
    if (sending.value || !session.value) return false;
    const before = messages.value.length;
    batch(() => { sending.value = words; refusal.value = null; });
    try {
      const reply = await learning.say(session.value.id, words.content, words.drawing);
      await refresh();
      if (!run.value && messages.value.length === before) refusal.value = reply.message; // it could not be answered, and says why
      return messages.value.length > before || run.value !== null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal.value = error.message;
      return false;
    } finally {
      sending.value = null;
    }
  }

  let wasGoing = false;
  const unwatch = effect(() => {
    const isGoing = run.value !== null;
    if (wasGoing && !isGoing) untracked(() => { refresh().catch((error) => { if (!(error instanceof ApiError)) throw error; }); });
    wasGoing = isGoing;
  });

  function close() {
    closed = true;
    unwatch();
  }

  load();
  return { nodeId, session, turns, state, sending, refusal, problem, ended, run, live, working, load, send, close };
}
