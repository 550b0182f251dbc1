// @ts-check
/** Concepts of a path as a list; on a small screen what the panel offers beside the map stands above it. */

import { html } from "../../lib/html.js";
import { pathUrl } from "../../state/router.js";
import { isActive } from "../../state/run_view.js";
import { useIsWide } from "../common/media_query.js";
import { FindStart } from "../placement/find_start.js";
import { NodeList } from "./list.js";
import { Unfinished } from "./unfinished.js";

/** @import { OpenPath } from "../../state/open_path.js" */
/** @import { GraphNode } from "../../state/graph.js" */

/**
 * @param {{
 *   path: OpenPath,
 *   nodes: GraphNode[],
 *   words: (node: GraphNode) => import("../../lib/node_status.js").NodeStatus,
 *   petals: (node: GraphNode) => string,
 * }} props
 */
export const PathList = ({ path, ...list }) => html`
  ${!useIsWide() && !isActive(path.run.value) && html`<${Unfinished} path=${path} /><${FindStart} path=${path} />`}
  <${NodeList} ...${list} onOpen=${(/** @type {string} */ id) => pathUrl(path.branchId, id)} />
`;
