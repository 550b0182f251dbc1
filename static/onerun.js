// @ts-check
/** One run, opened by its address. */

import { signal } from "@preact/signals";
import * as api from "./api.js";
import { go, runUrl } from "./router.js";
import { shownRun } from "./shown.js";

/** @typedef {ReturnType<typeof openRun>} OneRun */

/** Open a run and keep it up to date until `close`. @param {string} runId */
export function openRun(runId) {
  const problem = signal(/** @type {Error | null} */ (null));
  const title = signal("");
  const shown = shownRun({ onEnd: ended });
  let closed = false;

  async function load() {
    try {
      const row = await api.run(runId);
      if (closed) return;
      problem.value = null;
      shown.show(row);
      if (row.branchId) title.value = (await api.branch(row.branchId)).title;
    } catch (error) {
      if (!shown.run.value) problem.value = /** @type {Error} */ (error); // a run that is shown does without its path's title
    }
  }

  /** The run is over: the server says what is offered now. */
  async function ended() {
    try {
      const row = await api.run(runId);
      if (!closed) shown.adopt(row);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // the streamed state stands until the next visit
    } finally {
      shown.live.value = false;
    }
  }

  load();
  return {
    ...shown, problem, title, load, branchId: null, grow: null, partCount: () => 0, documents: () => [], isBare: () => false,
    watch: (/** @type {import("./types.d.ts").Run} */ row) => go(runUrl(row.id)),
    close() { closed = true; shown.close(); },
  };
}
