// @ts-check
/** What the ids of a stream mean, and from where to go on: of one run's log, and of all runs that are going. Pure. */

/** @import { RunEvent } from "./types.d.ts" */

/** Kinds that the log keeps: only their SSE id is a place in the log (a browser repeats the last id on the others). */
export const DURABLE = [
  "run_started", "run_queued", "run_resumed", "agent_start", "agent_done", "agent_error", "agent_reasoning", "thinking",
  "message", "message_reset", "tool_call", "tool_result", "node_created", "node_updated", "node_removed", "edge_created",
  "edge_removed", "diagnostic_status", "question_ready", "contest_settled", "checkpoint_question", "graded", "mastery_changed",
  "card_ready", "model_retry", "model_switched", "context_compacted", "guardrail", "waiting_on_human", "usage", "run_done",
];
export const PASSING = ["agent_reasoning_delta", "thinking_delta", "message_delta", "block_snapshot", "resync", "reconnect"];

/** @typedef {{ url: () => string, pieceUrl?: () => string, read: (kind: string, id: string, data: string) => RunEvent, isLast: (event: RunEvent) => boolean }} Cursor `pieceUrl`: where what there is can be had without a stream that stays open */

/** One run's log: ids are its numbers, and it ends with the run. @param {(after: number) => string} urlAfter @returns {Cursor} */
export function runCursor(urlAfter) {
  let after = 0;
  return {
    url: () => urlAfter(after),
    read(kind, id, data) {
      const seq = DURABLE.includes(kind) && /^\d+$/.test(id) ? Number(id) : null;
      if (kind === "resync") after = 0;
      if (seq !== null) after = Math.max(after, seq);
      return { ...JSON.parse(data), kind, seq };
    },
    isLast: (event) => event.kind === "run_done",
  };
}

/**
 * All runs that are going: an id names every unfinished root with the number that it has come to.
 * @param {(after: string, follow?: boolean) => string} urlAfter
 * @param {() => string[]} missed roots to be told from their start, since nothing of them has come @returns {Cursor}
 */
export function tabCursor(urlAfter, missed) {
  /** @type {Map<string, number>} */
  const reached = new Map();
  const after = () => {
    const asked = missed().filter((root) => !reached.has(root)).map((root) => `${root}:0`);
    return [...[...reached].map(([root, seq]) => `${root}:${seq}`), ...asked].join(",");
  };
  return {
    url: () => urlAfter(after()),
    pieceUrl: () => urlAfter(after(), false),
    read(kind, id, data) {
      const event = JSON.parse(data);
      const root = event.rootId;
      if (kind === "resync") root ? reached.delete(root) : reached.clear();
      if (!DURABLE.includes(kind)) return { ...event, kind, seq: null };
      const named = placesIn(id);
      const next = (reached.get(root) ?? 0) + 1;
      // Numbers have no gaps: where the id names an ended root no more, its last event has the next one.
      const seq = kind === "run_done" ? Math.max(named.get(root) ?? 0, next) : named.get(root) ?? next;
      [...named.set(root, seq)].forEach(([each, place]) => reached.set(each, place)); // a root stays until its end is here
      if (kind === "run_done") reached.delete(root);
      return { ...event, kind, seq };
    },
    isLast: () => false,
  };
}

/** @param {string} id `root:number,root:number` @returns {Map<string, number>} */
function placesIn(id) {
  const places = id.split(",").map((place) => place.split(":")).filter(([root, seq]) => root && /^\d+$/.test(seq ?? ""));
  return new Map(places.map(([root, seq]) => [root, Number(seq)]));
}
