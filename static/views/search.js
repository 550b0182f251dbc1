// @ts-check
/** Search by title over all paths and their concepts, and all of the open path: type, arrow keys, Enter. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api.js";
import { found, ofOpenPath, ofPaths } from "../finding.js";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { go, pathUrl } from "../router.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";
import { Mark } from "./marks.js";

/** @import { Findable } from "../finding.js" */
/** @import { Seen } from "../graph.js" */
/** @import { PathSummary } from "../types.d.ts" */

const MOST = 8;

/** @param {{ path?: import("../live.js").Path, paths?: PathSummary[], onNode?: (node: Seen) => void, onClose: () => void }} props `paths`: where the screen has them already; `onNode`: shows a node of the open path */
export function Search({ path, paths, onNode, onClose }) {
  const words = useSignal("");
  const at = useSignal(0);
  const others = useSignal(paths ?? []);
  useEffect(() => {
    if (!paths) api.paths().then((all) => { others.value = all; }, (error) => { if (!(error instanceof api.ApiError)) throw error; }); // the open path is found without the server
  }, []);
  const all = [...(path ? ofOpenPath(path.all.value, path.branchId) : []), ...ofPaths(others.value, path?.branchId)];
  const every = found(all, words.value);
  const hits = every.slice(0, MOST);
  const chosen = Math.min(at.value, hits.length - 1);
  const choose = (/** @type {Findable} */ hit) => {
    onClose();
    if (hit.node && onNode) onNode(hit.node);
    else go(pathUrl(hit.branchId, hit.conceptId));
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at.value = (chosen + (event.key === "ArrowDown" ? 1 : -1) + hits.length) % Math.max(1, hits.length);
    } else if (event.key === "Enter" && hits[chosen]) {
      event.preventDefault();
      choose(hits[chosen]);
    }
  };
  return html`<${Dialog} title=${t("search.open")} hideTitle kind="search" onClose=${onClose}>
    <input class="field" type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-activedescendant=${hits[chosen] ? `hit-${chosen}` : undefined} aria-label=${t("search.label")} placeholder=${t("search.label")}
      autofocus value=${words.value} onInput=${(/** @type {any} */ event) => { words.value = event.target.value; at.value = 0; }} onKeyDown=${key} />
    <ul class="hits" id="hits" role="listbox" aria-label=${t("search.open")}>
      ${hits.map((hit, i) => html`<li key=${hit.key} id="hit-${i}" role="option" aria-selected=${String(i === chosen)} onClick=${() => choose(hit)} onMouseMove=${() => { at.value = i; }}>
        ${hit.state ? html`<${Mark} state=${hit.state} mastery=${hit.mastery} />` : html`<${Icon} name=${hit.isPath ? "map" : "right"} />`}<span><b>${hit.title}</b>${hit.within && html`<span class="t13 dimmer"> ${t("search.in", { title: hit.within })}</span>`}</span></li>`)}
    </ul>
    <p class="t13 dimmer" role="status">${hits.length ? t(every.length > MOST ? "search.first" : "search.count", { n: every.length, shown: MOST }) : t("search.none")}</p>
  <//>`;
}
