// @ts-check
/** Other paths' runs that need a person, listed below a run. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { askedSentence, serverSentence } from "../../lib/server_words.js";
import { t } from "../../i18n/run.js";
import * as api from "../../net/api.js";
import * as pathsApi from "../../net/paths_api.js";
import { runUrl } from "../../state/router.js";
import { onRunChanges } from "../../state/tab_stream.js";
import { Icon } from "../common/icons.js";

/** @import { PathSummary, Run } from "../../types.d.ts" */

const LONGEST_WORDS = 120;

/** @param {{ but: string }} props `but`: the shown run */
export function OtherRuns({ but }) {
  const paths = useSignal(/** @type {PathSummary[]} */ ([]));
  useEffect(() => {
    const load = () =>
      pathsApi.paths().then(
        (found) => {
          paths.value = found;
        },
        (error) => {
          if (!(error instanceof api.ApiError)) throw error;
        },
      ); // only the run itself matters here
    load();
    return onRunChanges(load);
  }, []);
  const others = paths.value.flatMap(({ branch, lastRun }) => {
    const words = lastRun && lastRun.id !== but && !lastRun.discarded ? standingOf(lastRun) : null;
    return words && lastRun ? [{ branch, run: lastRun, words }] : [];
  });
  return (
    others.length > 0 &&
    html`<section class="other-runs" aria-labelledby="others">
      <h2 class="t18" id="others">${t("run.others")}</h2>
      <ul>
        ${others.map(
          ({ branch, run, words }) => html`<li key=${run.id}>
            <span class=${`chip ${words.tone}`}><${Icon} name=${words.tone === "fault" ? "warn" : "hourglass"} /></span>
            <div><b>${branch.title}</b><p class="t13 dim">${words.text}</p></div>
            <a class="btn sm" href=${runUrl(run.id)}>${t("run.look")}<span class="vh"> ${branch.title}</span></a>
          </li>`,
        )}
      </ul>
    </section>`
  );
}

/**
 * Why a run needs a person, or null where it does not.
 * @param {Run} run
 * @returns {{ text: string, tone: "wait" | "fault" } | null}
 */
function standingOf(run) {
  if (run.state === "waiting_on_human")
    return {
      text: run.question ? shorten(askedSentence(run.question), LONGEST_WORDS) : t("run.other_asks"),
      tone: "wait",
    };
  if (run.cutOff) return { text: t("run.other_cut"), tone: "wait" };
  if (run.state === "failed") {
    const why = run.error ? shorten(serverSentence(run.error), LONGEST_WORDS) : "";
    return { text: t("run.other_failed", { why }), tone: "fault" };
  }
  return run.state === "timed_out" ? { text: t("run.other_timed_out"), tone: "fault" } : null;
}
