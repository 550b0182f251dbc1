// @ts-check
/** A concept's diagnostic as one screen has it: what is asked, what was answered, what it changed. */

import { batch, computed, signal } from "@preact/signals";
import { ApiError } from "./api.js";
import { emptyGraph } from "./graph.js";
import * as learning from "./learning.js";
import { onReturn } from "./net.js";
import { watch } from "./tab.js";

/** @import { Answer, AskedQuestion, Change, Diagnostic, RunEvent } from "./types.d.ts" */
/** @typedef {"unasked" | "going" | "done" | "failed"} Fitting */

const LOOK_AGAIN_MS = 2000;
const GRAPH_EVENTS = ["node_created", "node_updated", "node_removed", "edge_created", "edge_removed"];

/** The options of a choice, in the order in which they are shown. @param {AskedQuestion} question @returns {string[]} */
export const optionsOf = (question) => (question.options ? JSON.parse(question.options) : []);

/** The id of the newest answer. @param {Answer[]} answers */
const newestOf = (answers) => answers.reduce((newest, each) => (each.createdAt >= newest.createdAt ? each : newest)).id;

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
  const contest = (question, reason) => act("contest", () => learning.contest(question.id, reason));

  /** Have the open answers read and the path fitted, once for the same answers; then they are asked for anew, with their marks. @param {{ again?: boolean }} [how] `again`: also where that failed before */
  async function fit({ again = false } = {}) {
    if (fitting.value === "going") return;
    batch(() => { fitting.value = "going"; refusal.value = null; });
    try {
      const run = await learning.refine(conceptId, `fit:${newestOf(given.value)}${again ? `:${Date.now()}` : ""}`);
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
    if (events.some((event) => GRAPH_EVENTS.includes(event.kind))) lookAtChanges();
    if (events.some((event) => event.kind === "graded")) lookAtAnswers();
    if (last) endOf(last.status);
  }

  /** It is said to be over when what it changed stands on the page. @param {string} status */
  async function endOf(status) {
    await Promise.all([lookAtChanges(), lookAtAnswers()]);
    if (!closed) fitting.value = status === "completed" ? "done" : "failed";
  }

  async function lookAtAnswers() {
    const id = asked.value?.assessment.id;
    if (id) await looked(learning.answers(id), (answers) => { given.value = answers; });
  }

  const lookAtChanges = () => looked(learning.changes(branchId, conceptId), (found) => { changes.value = found; });

  /** @template T @param {Promise<T>} asking @param {(found: T) => void} take */
  async function looked(asking, take) {
    try {
      const found = await asking;
      if (!closed) take(found);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // what stands on the page stays until the next look
    }
  }

  const unreturn = onReturn(() => { if (problem.value) load(); });

  function close() {
    closed = true;
    clearTimeout(timer);
    leave();
    unreturn();
  }

  load();
  return {
    branchId, conceptId, asked, given, newest, questions, open, current, changes, fitting, loading, problem, busy, refusal,
    load, answer, skip, contest, fit, close, lookAtChanges,
  };
}
