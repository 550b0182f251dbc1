// @ts-check
/** Home: the day of a learner who has begun, and the form for a path of one who has not. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as learnerApi from "../../net/learner_api.js";
import { onRunChanges } from "../../state/tab_stream.js";
import { lazy } from "../common/lazy.js";
import { SearchButton, SearchDialog } from "../common/search_button.js";
import { Fault, Shell } from "../common/shell.js";

/** @import { Today } from "../../types.d.ts" */

const day = lazy(async () => {
  const [{ TodayView }] = await Promise.all([import("../today/today.js"), loadSheet("styles/today.css")]);
  return TodayView;
});
const paths = lazy(async () => (await import("./paths_screen.js")).PathsScreen);

export function HomeScreen() {
  const today = useSignal(/** @type {Today | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const searching = useSignal(false);

  const load = async () => {
    try {
      const found = await learnerApi.today();
      if (!found.begun) await paths.prefetch(); // what is on the screen stays until the other view is there
      today.value = found;
      problem.value = null;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
    }
  };
  useEffect(() => {
    load();
    const unturn = onRunChanges(load);
    const comeBack = () => {
      if (!document.hidden) load(); // another day may have begun
    };
    document.addEventListener("visibilitychange", comeBack);
    return () => {
      document.removeEventListener("visibilitychange", comeBack);
      unturn();
    };
  }, []);

  if (today.value && !today.value.begun) return html`<${paths.View} />`;
  return html`<${Shell} tools=${html`<${SearchButton} searching=${searching} />`}>
    ${problem.value && html`<div class="wrap blank"><${Fault} message=${problem.value} onRetry=${load} /></div>`}
    ${!today.value && !problem.value && html`<p class="wrap loading dimmer" role="status">${t("paths.loading")}</p>`}
    ${today.value && html`<${day.View} today=${today.value} onChange=${load} />`}
    ${
      searching.value &&
      html`<${SearchDialog}
        onClose=${() => {
          searching.value = false;
        }}
      />`
    }
  <//>`;
}
