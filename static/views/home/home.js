// @ts-check
/** Home: the day of a learner who has begun, and the form for a path of one who has not. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { loadSheet } from "../../lib/style_sheets.js";
import * as learnerApi from "../../net/learner_api.js";
import { lazy } from "../common/lazy.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { SearchButton, SearchDialog } from "../common/search_button.js";
import { Shell } from "../common/shell.js";

const day = lazy(async () => {
  const [{ TodayView }] = await Promise.all([import("../today/today.js"), loadSheet("styles/today.css")]);
  return TodayView;
});
const paths = lazy(async () => (await import("./paths_screen.js")).PathsScreen);

export function HomeScreen() {
  const searching = useSignal(false);
  const loading = useLoaded(async () => {
    const found = await learnerApi.today();
    await (found.begun ? day : paths).prefetch(); // what is on the screen stays until the view is there
    return found;
  });
  const today = loading.found.value;
  useEffect(() => {
    const comeBack = () => {
      if (!document.hidden) loading.load(); // another day may have begun
    };
    document.addEventListener("visibilitychange", comeBack);
    return () => document.removeEventListener("visibilitychange", comeBack);
  }, []);

  if (today && !today.begun) return html`<${paths.View} />`;
  return html`<${Shell} tools=${html`<${SearchButton} searching=${searching} />`}>
    <div class="wrap"><${LoadingState} of=${loading} words=${t("paths.loading")} /></div>
    ${today && html`<${day.View} today=${today} onChange=${loading.load} />`}
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
