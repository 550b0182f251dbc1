// @ts-check
/** A concept's diagnostic as one screen has it: what is asked, what was answered, what it changed. */

import { batch, computed, signal } from "@preact/signals";
import { emptyGraph } from "./graph.js";
import * as learning from "./learning.js";
import { watch } from "./tab.js";

/** @import { Answer, AskedQuestion, Change, Diagnostic, RunEvent } from "./types.d.ts" */
/** @typedef {"unasked" | "going" | "done" | "failed"} Fitting */

const LOOK_AGAIN_MS = 2000;
const GRAPH_EVENTS = ["node_created", "node_updated", "node_removed", "edge_created", "edge_removed"];

/** The options of a choice, in the order in which they are shown. @param {AskedQuestion} question @returns {string[]} */
export const optionsOf = (question) => (question.options ? JSON.parse(question.options) : []);

/** @typedef {ReturnType<typeof openDiagnostic>} Opened */

/** @param {string} branchId @param {string} conceptId */
export function openDiagnostic(branchId, conceptId) {
  const asked = signal(/** @type {Diagnostic | null} */ (null));
  const given = signal(/** @type {Answer[]} */ ([]));
  const changes = signal(/** @type {Change[]} */ ([]));
  const fitting = signal(/** @type {Fitting} */ ("unasked"));
  const loading = signal(true);
  const problem = signal(/** @type {Error | null} */ (null));
  const busy = signal(/** @type {"answer" | "contest" | null} */ (null));
  const refusal = signal(/** @type {string | null} */ (null));
  let closed = false;
  let leave = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** The newest attempt at each question. */
  const newest = computed(() => new Map(given.value.map((answer) => [answer.questionId, answer])));
  const questions = computed(() => asked.value?.questions ?? []);
  const open = computed(() => questions.value.filter((each) => !newest.value.has(each.id)));
  const current = computed(() => (asked.value?.assessment.completedAt ? null : open.value[0] ?? null));

  async function load() {
    try {
      const found = await learning.diagnostic(conceptId);
      const answers = found ? await learning.answers(found.assessment.id) : [];
      if (closed) return;
      batch(() => { asked.value = found; given.value = answers; problem.value = null; loading.value = false; });
      if (!found?.questions.length) timer = setTimeout(load, LOOK_AGAIN_MS); // the agent is still writing them
    } catch (error) {
      if (!closed) batch(() => { problem.value = /** @type {Error} */ (error); loading.value = false; });
    }
  }

  /** @template T @param {"answer" | "contest"} what @param {() => Promise<T>} job @returns {Promise<T | null>} null where it was refused, which is said */
  async function act(what, job) {
    if (busy.value) return null;
    batch(() => { busy.value = what; refusal.value = null; });
    try {
      return await job();
    } catch (error) {
      refusal.value = /** @type {Error} */ (error).message;
      return null;
    } finally {
      busy.value = null;
    }
  }

  /** @param {AskedQuestion} question @param {{ answerText?: string, selectedOption?: string }} words */
  const answer = (question, words) => act("answer", async () => {
    const kept = await learning.answer(question.assessmentId, question.id, words);
    given.value = [...given.value, kept];
    return kept;
  });

  /** @param {AskedQuestion} question */
  const skip = (question) => act("answer", async () => {
    const kept = await learning.skip(question.id);
    given.value = [...given.value, kept];
    return kept;
  });

  /** @param {AskedQuestion} question @param {string} reason */
  const contest = (question, reason) => act("contest", async () => {
    const said = await learning.contest(question.id, reason);
    await load();
    return said;
  });

  /** Have the open answers read and the path fitted; then the answers are asked for anew, with their marks. */
  async function fit() {
    if (fitting.value === "going") return;
    fitting.value = "going";
    try {
      const run = await learning.refine(conceptId);
      if (closed) return;
      leave();
      leave = watch(run.rootId ?? run.id, emptyGraph(), hear);
    } catch (error) {
      batch(() => { fitting.value = "failed"; refusal.value = /** @type {Error} */ (error).message; });
    }
  }

  /** @param {RunEvent[]} events */
  function hear(events) {
    const last = events.find((event) => event.kind === "run_done");
    if (events.some((event) => GRAPH_EVENTS.includes(event.kind)) || last) lookAtChanges();
    if (events.some((event) => event.kind === "graded") || last) lookAtAnswers();
    if (last) fitting.value = last.status === "completed" ? "done" : "failed";
  }

  async function lookAtAnswers() {
    if (!asked.value) return;
    const answers = await learning.answers(asked.value.assessment.id);
    if (!closed) given.value = answers;
  }

  async function lookAtChanges() {
    const found = await learning.changes(branchId, conceptId);
    if (!closed) changes.value = found;
  }

  /** Leave it for now: what was answered stays. */
  async function finish() {
    if (asked.value && !asked.value.assessment.completedAt) await learning.endDiagnostic(asked.value.assessment.id);
    await load();
  }

  function close() {
    closed = true;
    clearTimeout(timer);
    leave();
  }

  load();
  return {
    branchId, conceptId, asked, given, newest, questions, open, current, changes, fitting, loading, problem, busy, refusal,
    load, answer, skip, contest, fit, finish, close, lookAtChanges,
  };
}
