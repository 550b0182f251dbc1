// @ts-check
/** State of one run that is opened by its address. */

import { signal } from "@preact/signals";
import * as api from "../net/api.js";
import { navigate, runUrl } from "./router.js";
import { runView } from "./run_view.js";

/** @typedef {ReturnType<typeof openRun>} OpenRun */

/** Open a run and keep it up to date until `close`. @param {string} runId */
export function openRun(runId) {
  const problem = signal(/** @type {Error | null} */ (null));
  const title = signal("");
  const shown = runView({ onEnd: onRunEnd });
  let closed = false;

  async function load() {
    try {
      const row = await api.run(runId);
      if (closed) return;
      problem.value = null;
      shown.show(row);
      if (row.branchId) title.value = (await api.branch(row.branchId)).title;
    } catch (error) {
      // A run that is shown works without its path's title.
      if (!shown.run.value) problem.value = /** @type {Error} */ (error);
    }
  }

  /** The run has ended: load what the server offers now. */
  async function onRunEnd() {
    try {
      const row = await api.run(runId);
      if (!closed) shown.adopt(row);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the streamed state stays until the next visit
    } finally {
      shown.live.value = false;
    }
  }

  load();
  return {
    ...shown,
    problem,
    title,
    load,
    branchId: null,
    grow: null,
    partCount: () => 0,
    documents: () => [],
    isBare: () => false,
    showRun: (/** @type {import("../types.d.ts").Run} */ row) => navigate(runUrl(row.id)),
    close() {
      closed = true;
      shown.close();
    },
  };
}
