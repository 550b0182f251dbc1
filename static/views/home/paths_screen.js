// @ts-check
/** Paths screen: the form for a new path, what comes next, and the list of paths. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/home.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as api from "../../net/api.js";
import { onReconnect } from "../../net/connection.js";
import * as pathsApi from "../../net/paths_api.js";
import { givenPaths, loadGivenPaths } from "../../state/given_paths.js";
import { onRunChanges } from "../../state/tab_stream.js";
import { lazy } from "../common/lazy.js";
import { SearchButton, SearchDialog } from "../common/search_button.js";
import { Fault, Loading, Shell } from "../common/shell.js";
import { AskForm } from "./ask.js";
import { PathTable } from "./paths.js";
import { Plants, Seed } from "./plants.js";
import { usePrefetch } from "./prefetch.js";

/** @import { UnknownTopic } from "../../state/unknown_topic.js" */
/** @import { PathSummary, Status } from "../../types.d.ts" */

/** For so long the form for another path waits for what comes next on those that there are. */
const PATIENCE_MS = 4000;

const firstRun = lazy(async () => {
  const [{ FirstRun }] = await Promise.all([import("./first_run.js"), loadSheet("styles/ways.css")]);
  return FirstRun;
});
const budgetLine = lazy(async () => (await import("./budget_line.js")).BudgetLine);
const nextCard = lazy(async () => {
  const [{ NextCard }] = await Promise.all([import("../common/next_card.js"), loadSheet("styles/next.css")]);
  return NextCard;
});

export function PathsScreen() {
  const paths = useSignal(/** @type {PathSummary[] | null} */ (null));
  const status = useSignal(/** @type {Status | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const asked = useSignal(/** @type {string | null} */ (null));
  const refusal = useSignal(/** @type {UnknownTopic | null} */ (null));
  const searching = useSignal(false);
  /** Whether something comes next; null while that is not known. */
  const hasNext = useSignal(/** @type {boolean | null} */ (null));
  const isLate = useSignal(false);

  const load = async () => {
    try {
      await Promise.all([
        pathsApi.paths().then(async (found) => {
          if (found.length) await nextCard.prefetch(); // its place is kept from the first moment on
          paths.value = found;
        }),
        status.value ??
          api.status().then((found) => {
            status.value = found;
          }),
      ]);
      problem.value = null;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };

  useEffect(() => {
    document.title = t("app.title");
    load().then(loadGivenPaths);
    const timer = setTimeout(() => {
      isLate.value = true;
    }, PATIENCE_MS);
    const unwatch = [onRunChanges(load), onReconnect(load)];
    return () => {
      clearTimeout(timer);
      unwatch.forEach((leave) => leave());
    };
  }, []);

  usePrefetch(paths.value !== null);
  const isFirst = paths.value?.length === 0;
  const isWaiting = !isFirst && !problem.value && hasNext.value === null && !isLate.value;
  const offline = status.value?.model.offline;
  return html`<${Shell}
    tools=${!isFirst && html`<${SearchButton} searching=${searching} />`}
    note=${offline ? common("model.offline") : null}
  >
    <div class="wrap">
      ${status.value?.budget.tightest?.near && html`<${budgetLine.View} budget=${status.value.budget.tightest} />`}
      ${
        paths.value &&
        !isFirst &&
        html`<${nextCard.View}
          onShown=${(/** @type {boolean} */ isShown) => {
            hasNext.value = isShown;
          }}
        />`
      }
    </div>
    ${
      (paths.value || problem.value) &&
      html`<div class=${isWaiting ? "wrap hero waits" : "wrap hero"}>
        <${AskForm}
          status=${status.value}
          asked=${asked.value}
          refusal=${refusal}
          isNext=${!refusal.value && (isFirst || hasNext.value === false)}
        />
        ${isFirst ? html`<${Seed} />` : html`<${Plants} turn=${paths.value} />`}
      </div>
      <div class="ground"></div>`
    }
    <div class="wrap">
      ${problem.value && html`<${Fault} message=${problem.value} onRetry=${load} />`}
      ${!paths.value && !problem.value && html`<${Loading} words=${common("paths.loading")} isWrapped=${false} />`}
      ${
        paths.value &&
        !isFirst &&
        html`<${PathTable} paths=${paths.value} given=${givenPaths.value} onChange=${load} />`
      }
      ${
        isFirst &&
        !refusal.value &&
        status.value &&
        html`<${firstRun.View}
          status=${status.value}
          onChoose=${(/** @type {string} */ title) => {
            asked.value = title;
          }}
        />`
      }
    </div>
    ${
      searching.value &&
      html`<${SearchDialog}
        paths=${paths.value ?? []}
        onClose=${() => {
          searching.value = false;
        }}
      />`
    }
  <//>`;
}
