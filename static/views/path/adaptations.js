// @ts-check
/** Adaptations of a level to its learner: each change with its reason and an undo. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/about.js";
import { html } from "../../lib/html.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import * as teachingApi from "../../net/teaching_api.js";
import { edgeKey } from "../../state/graph.js";
import { Changes, adaptationsIn } from "../common/changes.js";
import { Fault } from "../common/shell.js";

/** @import { Change } from "../../types.d.ts" */
/** @import { OpenPath } from "../../state/open_path.js" */
/** @typedef {{ all: Change[] | null, problem: string | null, load: () => Promise<void> }} Adaptations */

/**
 * The changes under a node, loaded again when the state of the path's run changes.
 * @param {OpenPath} path
 * @param {string | null} parentId
 * @returns {Adaptations}
 */
export function useAdaptations(path, parentId) {
  const all = useSignal(/** @type {Change[] | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const load = async () => {
    if (!parentId) return;
    try {
      await loadSheet("styles/teaching.css");
      all.value = await teachingApi.changes(path.branchId, parentId);
      problem.value = null;
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      problem.value = error.message;
    }
  };
  useEffect(() => {
    load();
  }, [parentId, path.run.value?.state]);
  return { all: all.value, problem: problem.value, load };
}

/**
 * Reasons of edges, by `source>target`.
 * @param {Change[] | null} changes
 * @returns {Map<string, string>}
 */
export const edgeReasons = (changes) =>
  new Map(
    (changes ?? [])
      .filter((change) => change.reason && !change.before.nodes.length && !change.after.nodes.length)
      .flatMap((change) =>
        change.after.edges.map((edge) => /** @type {[string, string]} */ ([edgeKey(edge), change.reason ?? ""])),
      )
      .reverse(),
  );

/** Adaptations of a path's concepts, if there are any. @param {{ path: OpenPath }} props */
export function PathAdaptations({ path }) {
  const adaptations = useAdaptations(path, path.rootId.value);
  return adaptations.problem || adaptationsIn(adaptations.all ?? []).length
    ? html`<div class="agent"><${AdaptationList} path=${path} adaptations=${adaptations} /></div>`
    : null;
}

/** Renders nothing without adaptations. @param {{ path: OpenPath, adaptations: Adaptations }} props */
export function AdaptationList({ path, adaptations }) {
  const shown = adaptationsIn(adaptations.all ?? []);
  if (adaptations.problem) return html`<${Fault} message=${adaptations.problem} onRetry=${adaptations.load} />`;
  if (!shown.length) return null;
  const undone = async () => {
    await Promise.all([adaptations.load(), path.refresh()]);
  };
  return html`<section class="fitted" aria-labelledby="fitted">
    <${Changes}
      changes=${adaptations.all ?? []}
      all=${path.all.value}
      onUndone=${undone}
      head=${html`<h3 id="fitted">${t("about.changes", { n: shown.length })}</h3>`}
    />
  </section>`;
}
