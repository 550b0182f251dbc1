// @ts-check
/** Concept graph of the page: updated by events; yields states, parts and order. Pure. */

/** @import { EdgeEnds, Graph, NodeRow, Progress, RunEvent } from "../types.d.ts" */

/** Least mastery of what is learned, as on the server. */
export const LEARNED_AT = 0.7;

/** @returns {Graph} */
export const emptyGraph = () => ({ nodes: {}, edges: {} });

/** @param {EdgeEnds} edge */
export const edgeKey = (edge) => `${edge.sourceNodeId}>${edge.targetNodeId}`;

/** @param {NodeRow[]} nodes @param {EdgeEnds[]} edges @returns {Graph} */
export const graphOf = (nodes, edges) => ({
  nodes: Object.fromEntries(nodes.map((node) => [node.id, node])),
  edges: Object.fromEntries(edges.map((edge) => [edgeKey(edge), edge])),
});

/**
 * The graph after one event; the same object if nothing changed.
 * @param {Graph} graph
 * @param {RunEvent} event
 * @returns {Graph}
 */
export function graphAfter(graph, event) {
  switch (event.kind) {
    case "node_created":
    case "node_updated":
      return {
        ...graph,
        nodes: {
          ...graph.nodes,
          [event.node.id]: { ...event.node, reason: event.reason ?? graph.nodes[event.node.id]?.reason ?? null },
        },
      };
    case "node_removed":
      return withoutNode(graph, event.nodeId);
    case "edge_created":
      return {
        ...graph,
        edges: { ...graph.edges, [edgeKey(event.edge)]: { ...event.edge, reason: event.reason ?? null } },
      };
    case "edge_removed": {
      const { [`${event.sourceNodeId}>${event.targetNodeId}`]: _, ...edges } = graph.edges;
      return { ...graph, edges };
    }
    default:
      return graph;
  }
}

/** @param {Graph} graph @param {string} id @returns {Graph} */
function withoutNode(graph, id) {
  const { [id]: _, ...nodes } = graph.nodes;
  const edges = Object.entries(graph.edges).filter(([, edge]) => edge.sourceNodeId !== id && edge.targetNodeId !== id);
  return { nodes, edges: Object.fromEntries(edges) };
}

/** @typedef {"locked" | "ready" | "progress" | "learned" | "mastered" | "due"} NodeState */

/**
 * A node with its state and its neighbours.
 * @typedef {{
 *   id: string,
 *   title: string,
 *   desc: string | null,
 *   reason: string | null,
 *   parentId: string | null,
 *   type: NodeRow["type"],
 *   state: NodeState,
 *   mastery: number,
 *   begun: boolean,
 *   needs: string[],
 *   opens: string[],
 *   parts: string[],
 *   missing: number,
 *   minutes: number,
 * }} GraphNode
 *   `missing`: how many nodes are to be learned before it, on what it builds on and further down; `minutes`: that its
 *   lessons will still take, 0 where that is not known
 */

/**
 * @param {Graph} graph
 * @param {Progress[]} progress
 * @param {Record<string, number>} [minutes]
 * @param {Record<string, "left" | "over">} [lessons] one that was left may be continued, one that is over opens what
 *   builds on it
 * @param {string[]} [due] parts that are due for review; a concept that is learned is due with them
 * @returns {Map<string, GraphNode>}
 */
export function graphNodes(graph, progress, minutes = {}, lessons = {}, due = []) {
  const marks = new Map(progress.map((row) => [row.nodeId, row]));
  const ofNode = (/** @type {string} */ id) => marks.get(id);
  const learned = (/** @type {string} */ id) => Boolean(ofNode(id)?.completedAt);
  const through = (/** @type {string} */ id) => learned(id) || lessons[id] === "over" || isAllOver(id);
  const isAllOver = (/** @type {string} */ id) => {
    const parts = all.get(id)?.parts ?? [];
    return parts.length > 0 && parts.every((part) => learned(part) || lessons[part] === "over");
  };
  /** @type {Map<string, GraphNode>} */
  const all = new Map();
  for (const node of Object.values(graph.nodes)) {
    all.set(node.id, {
      id: node.id,
      title: node.title,
      desc: node.desc,
      reason: node.reason ?? null,
      parentId: node.parentId,
      type: node.type,
      state: "ready",
      mastery: ofNode(node.id)?.masteryScore ?? 0,
      begun: isBegun(ofNode(node.id)) || node.id in lessons,
      needs: [],
      opens: [],
      parts: [],
      missing: 0,
      minutes: minutes[node.id] ?? 0,
    });
  }
  for (const edge of Object.values(graph.edges)) {
    if (!all.has(edge.sourceNodeId) || !all.has(edge.targetNodeId)) continue;
    all.get(edge.targetNodeId)?.needs.push(edge.sourceNodeId);
    all.get(edge.sourceNodeId)?.opens.push(edge.targetNodeId);
  }
  for (const node of all.values()) {
    const parent = all.get(node.parentId ?? "");
    parent?.parts.push(node.id);
    if (parent && lessons[node.id] === "left") parent.begun = true;
  }
  for (const node of all.values()) {
    if (!node.needs.every(through))
      node.missing = [...ancestry(all, node.id)].filter((id) => id !== node.id && !through(id)).length;
    const row = { learned: learned(node.id), mastered: Boolean(ofNode(node.id)?.masteredAt) };
    if (row.learned || node.begun) node.state = begunState(row);
    else node.state = node.missing ? "locked" : "ready";
  }
  for (const node of all.values()) {
    const parent = node.type === "subconcept" && all.get(node.parentId ?? "");
    // A part unlocks with its concept.
    if (parent && parent.state === "locked" && node.state === "ready") node.state = "locked";
  }
  for (const part of due.flatMap((id) => all.get(id) ?? [])) {
    const concept = all.get(part.parentId ?? "");
    for (const node of concept ? [part, concept] : [part])
      if (node.state === "learned" || node.state === "mastered") node.state = "due";
  }
  return all;
}

/** Whether something was answered, or is known from what builds on it. @param {Progress | undefined} row */
const isBegun = (row) => row !== undefined && (row.attemptsCount > 0 || row.masteryScore > 0);

/** State of a node that is begun. @param {{ learned: boolean, mastered: boolean }} row @returns {NodeState} */
export function begunState({ learned, mastered }) {
  if (!learned) return "progress";
  return mastered ? "mastered" : "learned";
}

/**
 * The nodes below a parent, in order of creation.
 * @param {Map<string, GraphNode>} all
 * @param {string} parentId
 */
export const partsOf = (all, parentId) => (all.get(parentId)?.parts ?? []).flatMap((id) => all.get(id) ?? []);

/** The concepts of the path. @param {Map<string, GraphNode>} all */
export const conceptsOf = (all) => [...all.values()].filter((node) => node.type === "concept");

/** Edges among these nodes, as pairs of ids. @param {GraphNode[]} nodes @returns {[string, string][]} */
export function edgesAmong(nodes) {
  const ids = new Set(nodes.map((node) => node.id));
  return nodes.flatMap((node) =>
    node.needs.filter((id) => ids.has(id)).map((id) => /** @type {[string, string]} */ ([id, node.id])),
  );
}

/**
 * The order given, but each node behind what it needs: what was put before a node later comes right before it.
 * @param {GraphNode[]} nodes
 * @returns {GraphNode[]}
 */
export function inLearningOrder(nodes) {
  const given = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Set<GraphNode>} */
  const order = new Set();
  for (const node of nodes) {
    const above = [node];
    while (!order.has(node)) {
      const last = above[above.length - 1];
      const need = last.needs.map((id) => given.get(id)).find((one) => one && !order.has(one) && !above.includes(one)); // else it is of a cycle
      if (need) above.push(need);
      else order.add(/** @type {GraphNode} */ (above.pop()));
    }
  }
  return [...order];
}

/**
 * The node, everything it builds on, and on what that builds.
 * @param {Map<string, GraphNode>} all
 * @param {string} id
 * @returns {Set<string>}
 */
export function ancestry(all, id) {
  const found = new Set([id]);
  for (const each of found) all.get(each)?.needs.forEach((need) => found.add(need));
  return found;
}
