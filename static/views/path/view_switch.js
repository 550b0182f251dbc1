// @ts-check
/** Switch between the views of a level. */

import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { Icon } from "../common/icons.js";

/** @type {Record<string, "list" | "map" | "pulse" | "info">} */
const ICONS = { list: "list", map: "map", activity: "pulse", about: "info" };

/**
 * Switch between list, map and activity.
 * @param {{ view: import("./path_level.js").View, tabs: string[] }} props
 */
export const ViewSwitch = ({ view, tabs }) => html`<div class="seg" role="group" aria-label=${t("path.view")}>
  ${tabs.map((name) => {
    const on = view.wide ? name === "list" : view.tab.value === name;
    const choose = () => {
      if (view.wide && name === "map") view.toggleList();
      else view.tab.value = name;
    };
    return html`<button key=${name} type="button" aria-pressed=${String(on)} onClick=${choose}>
      <${Icon} name=${ICONS[name]} small />
      ${t(/** @type {any} */ (`path.${name}`))}
    </button>`;
  })}
</div>`;
