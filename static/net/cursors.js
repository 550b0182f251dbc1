// @ts-check
/**
 * Stream cursors: meaning of event ids, and the position to resume from, for one run's log and for all active runs.
 * Pure.
 */

/** @import { RunEvent } from "../types.d.ts" */

/** Kinds of stored events: only their SSE id is a log position (a browser repeats the last id on others). */
export const DURABLE = [
  "run_started",
  "run_queued",
  "run_resumed",
  "agent_start",
  "agent_done",
  "agent_error",
  "agent_reasoning",
  "thinking",
  "message",
  "message_reset",
  "tool_call",
  "tool_result",
  "node_created",
  "node_updated",
  "node_removed",
  "edge_created",
  "edge_removed",
  "diagnostic_status",
  "question_ready",
  "contest_settled",
  "checkpoint_question",
  "graded",
  "mastery_changed",
  "card_ready",
  "model_retry",
  "model_switched",
  "context_compacted",
  "guardrail",
  "waiting_on_human",
  "usage",
  "run_done",
];
export const EPHEMERAL = [
  "agent_reasoning_delta",
  "thinking_delta",
  "message_delta",
  "block_snapshot",
  "run_waiting",
  "resync",
  "reconnect",
];

/**
 * @typedef {{
 *   url: () => string,
 *   pieceUrl?: () => string,
 *   read: (kind: string, id: string, data: string) => RunEvent,
 *   isLast: (event: RunEvent) => boolean,
 * }} Cursor `pieceUrl`: the address for polling
 */

/**
 * Cursor of one run's log: ids are sequence numbers, and the stream ends with the run.
 * @param {(after: number) => string} urlAfter
 * @returns {Cursor}
 */
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
 * Cursor of all active runs: an id names each unfinished root with its sequence number.
 * @param {(after: string, follow?: boolean) => string} urlAfter
 * @param {() => string[]} missed roots to read from their start, since no event of them has come @returns {Cursor}
 */
export function tabCursor(urlAfter, missed) {
  /** @type {Map<string, number>} */
  const reached = new Map();
  const after = () => {
    const asked = missed()
      .filter((root) => !reached.has(root))
      .map((root) => `${root}:0`);
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
      const named = parsePositions(id);
      const next = (reached.get(root) ?? 0) + 1;
      // Sequence numbers have no gaps: an ended root, which the id no longer names, gets the next one.
      const seq = kind === "run_done" ? Math.max(named.get(root) ?? 0, next) : (named.get(root) ?? next);
      // A root stays until its end has come.
      [...named.set(root, seq)].forEach(([each, place]) => reached.set(each, place));
      if (kind === "run_done") reached.delete(root);
      return { ...event, kind, seq };
    },
    isLast: () => false,
  };
}

/** @param {string} id `root:number,root:number` @returns {Map<string, number>} */
function parsePositions(id) {
  const places = id
    .split(",")
    .map((place) => place.split(":"))
    .filter(([root, seq]) => root && /^\d+$/.test(seq ?? ""));
  return new Map(places.map(([root, seq]) => [root, Number(seq)]));
}
