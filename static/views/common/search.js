// @ts-check
/** Search dialog over paths, their concepts, and the open path's nodes. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import * as api from "../../net/api.js";
import * as pathsApi from "../../net/paths_api.js";
import { navigate, pathUrl } from "../../state/router.js";
import { findByTitle, entriesOfOpenPath, entriesOfPaths } from "../../state/search.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";
import { Mark } from "./node_state_shapes.js";

/** @import { SearchEntry } from "../../state/search.js" */
/** @import { GraphNode } from "../../state/graph.js" */
/** @import { PathSummary } from "../../types.d.ts" */

const MOST = 8;

/**
 * @param {{
 *   path?: import("../../state/open_path.js").OpenPath,
 *   paths?: PathSummary[],
 *   onNode?: (node: GraphNode) => void,
 *   onClose: () => void,
 * }} props `paths`: where the screen has them already; `onNode`: shows a node of the open path
 */
export function Search({ path, paths, onNode, onClose }) {
  const words = useSignal("");
  const at = useSignal(0);
  const others = useSignal(paths ?? []);
  useEffect(() => {
    if (!paths)
      pathsApi.paths().then(
        (all) => {
          others.value = all;
        },
        (error) => {
          if (!(error instanceof api.ApiError)) throw error;
        },
      ); // the open path can be searched offline
  }, []);
  const all = [
    ...(path ? entriesOfOpenPath(path.all.value, path.branchId) : []),
    ...entriesOfPaths(others.value, path?.branchId),
  ];
  const every = findByTitle(all, words.value);
  const hits = every.slice(0, MOST);
  const chosen = Math.min(at.value, hits.length - 1);
  const choose = (/** @type {SearchEntry} */ hit) => {
    onClose();
    if (hit.node && onNode) onNode(hit.node);
    else navigate(pathUrl(hit.branchId, hit.conceptId));
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
    <input
      class="field"
      type="text"
      role="combobox"
      aria-expanded="true"
      aria-controls="hits"
      aria-activedescendant=${hits[chosen] ? `hit-${chosen}` : undefined}
      aria-label=${t("search.label")}
      placeholder=${t("search.label")}
      autofocus
      value=${words.value}
      onInput=${(/** @type {any} */ event) => {
        words.value = event.target.value;
        at.value = 0;
      }}
      onKeyDown=${key}
    />
    <ul class="hits" id="hits" role="listbox" aria-label=${t("search.open")}>
      ${hits.map(
        (hit, i) => html`<li
          key=${hit.key}
          id="hit-${i}"
          role="option"
          aria-selected=${String(i === chosen)}
          onClick=${() => choose(hit)}
          onMouseMove=${() => {
            at.value = i;
          }}
        >
          ${
            hit.state
              ? html`<${Mark} state=${hit.state} mastery=${hit.mastery} />`
              : html`<${Icon} name=${hit.isPath ? "map" : "right"} />`
          }
          <span>
            <b>${hit.title}</b>
            ${hit.within && html`<span class="t13 dimmer"> ${t("search.in", { title: hit.within })}</span>`}
          </span>
        </li>`,
      )}
    </ul>
    <p class="t13 dimmer" role="status">
      ${
        hits.length
          ? t(every.length > MOST ? "search.first" : "search.count", { n: every.length, shown: MOST })
          : t("search.none")
      }
    </p>
  <//>`;
}
