// @ts-check
/** Search over all concepts and subconcepts of a path: type, arrow keys, Enter. */

import { useSignal } from "@preact/signals";
import { html } from "../html.js";
import { t } from "../i18n.js";
import { Dialog } from "./dialog.js";
import { Mark } from "./marks.js";

/** @import { Seen } from "../graph.js" */

const MOST = 8;

/** Titles that begin with the words come first, then those that hold them. @param {Iterable<Seen>} nodes @param {string} words */
export function found(nodes, words) {
  const wanted = words.trim().toLocaleLowerCase();
  const at = (/** @type {Seen} */ node) => node.title.toLocaleLowerCase().indexOf(wanted);
  return [...nodes].filter((node) => node.type !== "root" && at(node) >= 0)
    .sort((a, b) => Math.min(at(a), 1) - Math.min(at(b), 1) || a.type.localeCompare(b.type));
}

/** @param {{ path: import("../live.js").Path, onChoose: (node: Seen) => void, onClose: () => void }} props */
export function Search({ path, onChoose, onClose }) {
  const words = useSignal("");
  const at = useSignal(0);
  const all = path.all.value;
  const every = found(all.values(), words.value);
  const hits = every.slice(0, MOST);
  const chosen = Math.min(at.value, hits.length - 1);
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at.value = (chosen + (event.key === "ArrowDown" ? 1 : -1) + hits.length) % Math.max(1, hits.length);
    } else if (event.key === "Enter" && hits[chosen]) {
      event.preventDefault();
      onChoose(hits[chosen]);
    }
  };
  return html`<${Dialog} title=${t("search.open")} hideTitle kind="search" onClose=${onClose}>
    <input class="field" type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-activedescendant=${hits[chosen] ? `hit-${chosen}` : undefined} aria-label=${t("search.label")} placeholder=${t("search.label")}
      autofocus value=${words.value} onInput=${(/** @type {any} */ event) => { words.value = event.target.value; at.value = 0; }} onKeyDown=${key} />
    <ul class="hits" id="hits" role="listbox" aria-label=${t("search.open")}>
      ${hits.map((node, i) => html`<li key=${node.id} id="hit-${i}" role="option" aria-selected=${String(i === chosen)} onClick=${() => onChoose(node)} onMouseMove=${() => { at.value = i; }}>
        <${Mark} state=${node.state} mastery=${node.mastery} /><span><b>${node.title}</b>${node.type === "subconcept" && html`<span class="t13 dimmer"> ${t("search.in", { title: all.get(node.parentId ?? "")?.title ?? "" })}</span>`}</span></li>`)}
    </ul>
    <p class="t13 dimmer" role="status">${hits.length ? t(every.length > MOST ? "search.first" : "search.count", { n: every.length, shown: MOST }) : t("search.none")}</p>
  <//>`;
}
