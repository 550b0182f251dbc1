// @ts-check
/** What can be found by its title: the paths, their concepts, and everything of the path that is open. Pure. */

/** @import { PathSummary } from "./types.d.ts" */
/** @import { NodeState, Seen } from "./graph.js" */
/**
 * @typedef {{ key: string, title: string, within: string, rank: number, branchId: string, conceptId: string | null, node: Seen | null, isPath: boolean, state: NodeState | null, mastery: number }} Findable
 *   `within`: the title of what it is part of; `rank`: nearer things have less; `node`: of the open path; `state`: null where it is not known
 */

/** @param {Map<string, Seen>} all the open path's @param {string} branchId @returns {Findable[]} */
export const ofOpenPath = (all, branchId) => [...all.values()].filter((node) => node.type !== "root").map((node) => ({
  key: node.id, title: node.title, within: node.type === "subconcept" ? all.get(node.parentId ?? "")?.title ?? "" : "", rank: node.type === "concept" ? 0 : 1,
  branchId, conceptId: node.type === "concept" ? node.id : node.parentId, node, isPath: false, state: node.state, mastery: node.mastery,
}));

/** @param {PathSummary[]} paths @param {string | null} but the open path, which is found by itself @returns {Findable[]} */
export const ofPaths = (paths, but = null) => paths.filter((path) => path.branch.id !== but).flatMap(({ branch, concepts }) => [
  { key: branch.id, title: branch.title, within: "", rank: 2, branchId: branch.id, conceptId: null, node: null, isPath: true, state: null, mastery: 0 },
  ...concepts.map((concept) => ({
    key: concept.id, title: concept.title, within: branch.title, rank: 3, branchId: branch.id, conceptId: concept.id, node: null, isPath: false,
    state: /** @type {NodeState | null} */ (concept.mastered ? "mastered" : concept.mastery > 0 ? "progress" : null), mastery: concept.mastery,
  })),
]);

/** Those whose title holds the words: nearer ones first, among them those that begin with the words. @param {Findable[]} all @param {string} words */
export function found(all, words) {
  const wanted = words.trim().toLocaleLowerCase();
  return all.map((each) => ({ each, at: each.title.toLocaleLowerCase().indexOf(wanted) })).filter(({ at }) => at >= 0)
    .sort((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1) || a.each.rank - b.each.rank).map(({ each }) => each);
}
