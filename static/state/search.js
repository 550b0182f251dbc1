// @ts-check
/** Search by title over paths, their concepts, and all nodes of the open path. Pure. */

import { begunState } from "./graph.js";

/** @import { PathSummary } from "../types.d.ts" */
/** @import { NodeState, GraphNode } from "./graph.js" */
/**
 * @typedef {{
 *   key: string,
 *   title: string,
 *   within: string,
 *   rank: number,
 *   branchId: string,
 *   conceptId: string | null,
 *   node: GraphNode | null,
 *   isPath: boolean,
 *   state: NodeState | null,
 *   mastery: number,
 * }} SearchEntry `within`: its parent's title; `rank`: less is nearer; `node`: of the open path; `state`: null if
 *   unknown
 */

/** @param {Map<string, GraphNode>} all the open path's @param {string} branchId @returns {SearchEntry[]} */
export const entriesOfOpenPath = (all, branchId) =>
  [...all.values()]
    .filter((node) => node.type !== "root")
    .map((node) => ({
      key: node.id,
      title: node.title,
      within: node.type === "subconcept" ? (all.get(node.parentId ?? "")?.title ?? "") : "",
      rank: node.type === "concept" ? 0 : 1,
      branchId,
      conceptId: node.type === "concept" ? node.id : node.parentId,
      node,
      isPath: false,
      state: node.state,
      mastery: node.mastery,
    }));

/**
 * @param {PathSummary[]} paths
 * @param {string | null} but the open path, which has entries of its own
 * @returns {SearchEntry[]}
 */
export const entriesOfPaths = (paths, but = null) =>
  paths
    .filter((path) => path.branch.id !== but)
    .flatMap(({ branch, concepts }) => [
      {
        key: branch.id,
        title: branch.title,
        within: "",
        rank: 2,
        branchId: branch.id,
        conceptId: null,
        node: null,
        isPath: true,
        state: null,
        mastery: 0,
      },
      ...concepts.map((concept) => ({
        key: concept.id,
        title: concept.title,
        within: branch.title,
        rank: 3,
        branchId: branch.id,
        conceptId: concept.id,
        node: null,
        isPath: false,
        state: concept.begun || concept.learned ? begunState(concept) : null,
        mastery: concept.mastery,
      })),
    ]);

/**
 * The entries whose title contains the words: prefixes first, then by rank.
 * @param {SearchEntry[]} all
 * @param {string} words
 */
export function findByTitle(all, words) {
  const wanted = words.trim().toLocaleLowerCase();
  return all
    .map((each) => ({ each, at: each.title.toLocaleLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1) || a.each.rank - b.each.rank)
    .map(({ each }) => each);
}
