// @ts-check
/** State of a diagnostic: its questions, the answers, the changes that they led to. */

import { batch, computed, signal } from "@preact/signals";
import { ApiError } from "../net/api.js";
import { onReconnect } from "../net/connection.js";
import * as teachingApi from "../net/teaching_api.js";
import { emptyGraph } from "./graph.js";
import { pendingActions } from "./pending_actions.js";
import { subscribe } from "./tab_stream.js";

/** @import { Answer, AskedQuestion, Change, Diagnostic, RunEvent, SelfMark } from "../types.d.ts" */
/** @typedef {"unasked" | "going" | "done" | "failed"} AdaptationState */

const LOOK_AGAIN_MS = 2000;
const GRAPH_EVENTS = ["node_created", "node_updated", "node_removed", "edge_created", "edge_removed"];

/**
 * Options of a choice, in display order.
 * @param {AskedQuestion} question
 * @returns {string[]}
 */
export const optionsOf = (question) => (question.options ? JSON.parse(question.options) : []);

/** The id of the newest answer. @param {Answer[]} answers */
const newestOf = (answers) => answers.reduce((newest, each) => (each.createdAt >= newest.createdAt ? each : newest)).id;

/** @typedef {ReturnType<typeof openDiagnostic>} OpenDiagnostic */

/** @param {string} branchId @param {string} conceptId */
export function openDiagnostic(branchId, conceptId) {
  const asked = signal(/** @type {Diagnostic | null} */ (null));
  const given = signal(/** @type {Answer[]} */ ([]));
  const changes = signal(/** @type {Change[]} */ ([]));
  const adaptation = signal(/** @type {AdaptationState} */ ("unasked"));
  const loading = signal(true);
  const problem = signal(/** @type {Error | null} */ (null));
  const { busy, refusal, act } = pendingActions();
  let closed = false;
  let unsubscribe = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** The newest attempt at each question. */
  const newest = computed(() => new Map(given.value.map((answer) => [answer.questionId, answer])));
  const questions = computed(() => asked.value?.questions ?? []);
  /** Whether there is nothing to ask, and it is known that there is not. */
  const isEmpty = computed(() => asked.value !== null && asked.value.isComplete && !questions.value.length);
  const open = computed(() => questions.value.filter((each) => !newest.value.has(each.id)));
  const current = computed(() => (asked.value?.assessment.completedAt ? null : (open.value[0] ?? null)));

  async function load() {
    try {
      const found = await teachingApi.diagnostic(conceptId);
      const answers = found ? await teachingApi.answers(found.assessment.id) : [];
      if (closed) return;
      batch(() => {
        asked.value = found;
        given.value = answers;
        problem.value = null;
        loading.value = false;
      });
      if (!found?.questions.length && !found?.isComplete) timer = setTimeout(load, LOOK_AGAIN_MS); // still being written
    } catch (error) {
      if (!closed)
        batch(() => {
          problem.value = /** @type {Error} */ (error);
          loading.value = false;
        });
    }
  }

  /** @param {AskedQuestion} question @param {{ answerText?: string, selectedOption?: string, sure?: boolean }} words */
  const answer = (question, words) =>
    act("answer", async () => {
      const kept = await teachingApi.answer(question.assessmentId, question.id, words);
      given.value = [...given.value, kept];
      return kept;
    });

  /** @param {AskedQuestion} question */
  const skip = (question) =>
    act("answer", async () => {
      const kept = await teachingApi.skip(question.id);
      given.value = [...given.value, kept];
      return kept;
    });

  /** Mark one's own answer beside the model answer. @param {Answer} mine @param {SelfMark} mark */
  const selfMark = (mine, mark) =>
    act("answer", async () => {
      const marked = await teachingApi.selfMark(mine.id, mark);
      given.value = given.value.map((each) => (each.id === marked.id ? marked : each));
      return marked;
    });

  /** @param {AskedQuestion} question @param {string} reason */
  const contest = (question, reason) => act("contest", () => teachingApi.contest(question.id, reason));

  /**
   * Mark the open answers and adapt the path, once for the same answers; then load them with their marks.
   * @param {{ again?: boolean }} [how] `again`: also after a failure
   */
  async function adapt({ again = false } = {}) {
    if (adaptation.value === "going") return;
    batch(() => {
      adaptation.value = "going";
      refusal.value = null;
    });
    try {
      const run = await teachingApi.refine(conceptId, `fit:${newestOf(given.value)}${again ? `:${Date.now()}` : ""}`);
      if (closed) return;
      unsubscribe();
      unsubscribe = subscribe(run.rootId ?? run.id, emptyGraph(), onEvents);
    } catch (error) {
      batch(() => {
        adaptation.value = "failed";
        refusal.value = /** @type {Error} */ (error).message;
      });
    }
  }

  /** @param {RunEvent[]} events */
  function onEvents(events) {
    const last = events.find((event) => event.kind === "run_done");
    if (events.some((event) => GRAPH_EVENTS.includes(event.kind))) refreshChanges();
    if (events.some((event) => event.kind === "graded")) refreshAnswers();
    if (last) onRunDone(last.status);
  }

  /** Report the end once the page shows what it changed. @param {string} status */
  async function onRunDone(status) {
    await Promise.all([refreshChanges(), refreshAnswers()]);
    if (!closed) adaptation.value = status === "completed" ? "done" : "failed";
  }

  async function refreshAnswers() {
    const id = asked.value?.assessment.id;
    if (id)
      await refreshWith(teachingApi.answers(id), (answers) => {
        given.value = answers;
      });
  }

  const refreshChanges = () =>
    refreshWith(teachingApi.changes(branchId, conceptId), (found) => {
      changes.value = found;
    });

  /** @template T @param {Promise<T>} asking @param {(found: T) => void} take */
  async function refreshWith(asking, take) {
    try {
      const found = await asking;
      if (!closed) take(found);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the page keeps what it has until the next try
    }
  }

  const stopOnReconnect = onReconnect(() => {
    if (problem.value) load();
  });

  function close() {
    closed = true;
    clearTimeout(timer);
    unsubscribe();
    stopOnReconnect();
  }

  load();
  return {
    branchId,
    conceptId,
    asked,
    given,
    newest,
    questions,
    isEmpty,
    open,
    current,
    changes,
    adaptation,
    loading,
    problem,
    busy,
    refusal,
    load,
    answer,
    skip,
    selfMark,
    contest,
    adapt,
    close,
    refreshChanges,
  };
}
