// @ts-check
/** One letter per state: how a ring of petals is written down. */

/** @type {Record<import("./graph.js").NodeState, string>} */
export const LETTERS = { locked: "l", ready: "r", progress: "p", mastered: "m", due: "d" };
