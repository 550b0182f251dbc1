// @ts-check
/** Map of a placement's result: the path's concepts as they stand now, with a petal for each part. */

import { useEffect, useMemo } from "preact/hooks";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { nodeStatus, petalsOf } from "../../lib/node_status.js";
import { partsOf } from "../../state/graph.js";
import { openPath } from "../../state/open_path.js";
import { Loading } from "../common/shell.js";
import { LevelMap } from "../map/map.js";

/** @import { GraphNode } from "../../state/graph.js" */

/**
 * @param {{ branchId: string, turn: string, onList: () => void }} props `turn`: it is asked for again when this changes
 */
export function ResultMap({ branchId, turn, onList }) {
  const path = useMemo(() => openPath(branchId), [branchId]);
  useEffect(() => path.close, [path]);
  useEffect(() => {
    if (path.answer.peek()) path.load();
  }, [turn]);
  if (!path.answer.value) return html`<${Loading} words=${t("path.loading")} isWrapped=${false} />`;
  const all = path.all.value;
  const nodes = path.visible.value;
  const parts = (/** @type {GraphNode} */ node) => partsOf(all, node.id);
  return html`<div class="pl-map">
    <${LevelMap}
      all=${all}
      nodes=${nodes}
      places=${path.placesOf("path", nodes)}
      fresh=${path.fresh.value}
      live=${false}
      label=${t("map.label", { title: path.title.value })}
      petals=${(/** @type {GraphNode} */ node) => petalsOf(parts(node))}
      words=${(/** @type {GraphNode} */ node) => nodeStatus(node, parts(node), undefined, 0)}
      brings=${t("path.brings")}
      selected=${null}
      focusOn=${null}
      branchId=${branchId}
      isRoomy
      onList=${onList}
    />
  </div>`;
}
