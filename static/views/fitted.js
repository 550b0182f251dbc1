// @ts-check
/** How a level of a path was fitted to its learner: each change with its reason and the way back. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { edgeKey } from "../graph.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import * as learning from "../learning.js";
import { sheet } from "../sheets.js";
import { Changes, shownOf } from "./changes.js";
import { Fault } from "./shell.js";

/** @import { Change } from "../types.d.ts" */
/** @import { Path } from "../live.js" */
/** @typedef {{ all: Change[] | null, problem: string | null, load: () => Promise<void> }} Fitted */

/** The changes under a node, asked for again when the path's run comes or goes. @param {Path} path @param {string | null} parentId @returns {Fitted} */
export function useFitted(path, parentId) {
  const all = useSignal(/** @type {Change[] | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const load = async () => {
    if (!parentId) return;
    try {
      await sheet("learn.css");
      all.value = await learning.changes(path.branchId, parentId);
      problem.value = null;
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      problem.value = error.message;
    }
  };
  useEffect(() => { load(); }, [parentId, path.run.value?.state]);
  return { all: all.value, problem: problem.value, load };
}

/** Why an edge is there, by `source>target`, as whoever drew it said. @param {Change[] | null} changes @returns {Map<string, string>} */
export const whysOf = (changes) => new Map((changes ?? []).filter((change) => change.reason && !change.before.nodes.length && !change.after.nodes.length)
  .flatMap((change) => change.after.edges.map((edge) => /** @type {[string, string]} */ ([edgeKey(edge), change.reason ?? ""]))).reverse());

/** How the concepts of a path were changed for its learner, where they were. @param {{ path: Path }} props */
export function PathChanges({ path }) {
  const fitted = useFitted(path, path.rootId.value);
  return fitted.problem || shownOf(fitted.all ?? []).length ? html`<div class="agent"><${FittedChanges} path=${path} fitted=${fitted} /></div>` : null;
}

/** Nothing at all where nothing was changed. @param {{ path: Path, fitted: Fitted }} props */
export function FittedChanges({ path, fitted }) {
  const shown = shownOf(fitted.all ?? []);
  if (fitted.problem) return html`<${Fault} message=${fitted.problem} onRetry=${fitted.load} />`;
  if (!shown.length) return null;
  const undone = async () => { await Promise.all([fitted.load(), path.refresh()]); };
  return html`<section class="fitted" aria-labelledby="fitted">
    <${Changes} changes=${fitted.all ?? []} all=${path.all.value} onUndone=${undone} head=${html`<h3 id="fitted">${t("about.changes", { n: shown.length })}</h3>`} />
  </section>`;
}
