// @ts-check
/** What the probes of models mean for a path. */

/** @import { Fitness, Status } from "../types.d.ts" */

/** Findings that are told before a path is made, the worst first. */
const TOLD = /** @type {const} */ (["calls_no_tools", "small_window", "answers_in_form", "one_call_at_a_time"]);

/** @param {Fitness} fitness */
export const isUnfit = (fitness) => fitness === "calls_no_tools" || fitness === "small_window";

/**
 * The model with the worst finding of those that make a path; null where there is nothing to tell.
 * @param {Status} status
 * @param {boolean} small
 * @returns {{ model: string, fitness: typeof TOLD[number] } | null}
 */
export function toldModel({ models, probes }, small) {
  const names = small ? [models.small] : [models.topic, models.subconcept];
  const found = probes.filter((one) => names.includes(one.model));
  for (const fitness of TOLD) {
    const one = found.find((each) => each.fitness === fitness);
    if (one) return { model: one.model, fitness };
  }
  return null;
}
