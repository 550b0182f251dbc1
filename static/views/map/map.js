// @ts-check
/** Map of one level: foundations on the ground, the goal on top. */

import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { nextNode } from "../../layout/arrow_keys.js";
import { ghostPlaces, groundLayer } from "../../layout/free_places.js";
import { extent, ROW, yOf } from "../../layout/measures.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { statusWithMinutes } from "../../lib/node_status.js";
import { loadSheet } from "../../lib/style_sheets.js";
import { ancestry, edgesAmong } from "../../state/graph.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { useIsWide } from "../common/media_query.js";
import { Legend } from "../common/node_state_shapes.js";
import { Branches, Ground, SeedBed, EmptyPlot, Wires } from "./backdrop.js";
import { camera, READABLE, TITLES } from "./camera.js";
import { useCameraInput } from "./camera_input.js";
import { Ghost, MapNode } from "./map_node.js";

/** @import { GraphNode } from "../../state/graph.js" */
/** @import { RemovedNode, TitledNode, Places } from "../../layout/measures.js" */
/** @import { NodeStatus } from "../../lib/node_status.js" */

const note = lazy(async () => (await import("./node_notes.js")).MarginNote);
const card = lazy(async () => (await import("./node_card.js")).NodeCard);
const sheet = lazy(async () => {
  const [{ NodeSheet }] = await Promise.all([import("./node_sheet.js"), loadSheet("styles/next.css")]);
  return NodeSheet;
});
/** Time to get from a node to its card. */
const LEAVE_MS = 250;
/** Space between the lowest layer and the ground line, and below that. */
const SOIL_AT = 46;
const SEED_ROW = 38;
const SEEDS_PER_ROW = 3;
/** What is left out below a scale: small labels, titles too, petals too. @type {[string, number][]} */
const DISTANCES = [
  ["mid", READABLE],
  ["far", TITLES],
  ["tiny", 0.6],
];
const AT_ONCE = 6;
const GROW_MS = 520;

/**
 * @typedef {{
 *   all: Map<string, GraphNode>,
 *   nodes: GraphNode[],
 *   gone?: RemovedNode[],
 *   places: Places,
 *   fresh: Set<string>,
 *   live: boolean,
 *   label: string,
 *   petals: (node: GraphNode) => string,
 *   words: (node: GraphNode) => NodeStatus,
 *   brings: string,
 *   selected: string | null,
 *   focusOn: string | null,
 *   opensOn?: string | null,
 *   onOpen?: (id: string) => void,
 *   onList: () => void,
 *   branchId: string,
 *   isRoomy: boolean,
 *   children?: any,
 * }} MapProps `opensOn`: the node that is in sight at first; `onOpen`: what a click or Enter does in place of opening the node's card; on a
 *   small screen both open its sheet
 */

/** @param {MapProps} props */
export function LevelMap(props) {
  const { all, nodes, gone = [], places, fresh, live, selected, focusOn } = props;
  const cam = useMemo(camera, []);
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const svg = useRef(/** @type {SVGSVGElement | null} */ (null));
  const active = useSignal(/** @type {string | null} */ (null));
  const pointed = useSignal(/** @type {string | null} */ (null));
  const opened = useSignal(/** @type {string | null} */ (null));
  const isWide = useIsWide();
  const isChosen = isWide && props.onOpen !== undefined;
  const open = (/** @type {string} */ id) => {
    if (isChosen) return props.onOpen?.(id);
    opened.value = opened.value === id ? null : id;
  };
  const closeCard = (/** @type {boolean} */ isAway) => {
    const id = opened.value ?? pointed.value;
    pointed.value = opened.value = null;
    if (id && !isAway) focus(id);
  };
  const leave = (/** @type {string} */ id) =>
    setTimeout(() => {
      if (pointed.value === id && !frame.current?.querySelector(".node-card:hover, .hit:hover")) pointed.value = null;
    }, LEAVE_MS);
  useEffect(() => {
    const ahead = setTimeout(isWide ? card.prefetch : sheet.prefetch, LEAVE_MS * 4);
    return () => clearTimeout(ahead);
  }, []);

  const standing = nodes.filter((node) => places.has(node.id));
  const seeds = nodes.filter((node) => !places.has(node.id));
  const lowest = useMemo(() => groundLayer(places), [places]);
  const ground = yOf(lowest) + SOIL_AT;
  const ghosts = useMemo(() => ghostPlaces(gone, standing, places), [places, gone.map((node) => node.id).join()]);
  const taken = useMemo(() => new Map([...places, ...ghosts]), [places, ghosts]);
  const box = useMemo(
    () => boxOf([...standing, ...gone], taken, ground, seeds.length),
    [taken, seeds.length, standing.length],
  );
  const top = useMemo(() => extent([...standing, ...gone], taken).top, [taken, standing.length]);
  const pairs = useMemo(() => edgesAmong(standing), [places, all]);

  useFrameSize(frame, cam, box);
  useCameraInput(svg, cam);
  useEffect(() => {
    cam.follow(box, true);
  }, [box]);
  useEffect(() => {
    const place = places.get(props.opensOn ?? "");
    if (place) cam.show(place.x, yOf(place.layer));
  }, [props.opensOn]);
  useEffect(() => {
    if (focusOn) focus(focusOn);
  }, [focusOn]);

  const focus = (/** @type {string} */ id) => {
    const place = places.get(id);
    if (!place) return;
    active.value = id;
    cam.show(place.x, yOf(place.layer));
    /** @type {SVGElement | null | undefined} */ (svg.current?.querySelector(`[data-id="${CSS.escape(id)}"]`))?.focus({
      preventScroll: true,
    });
  };

  const key = (/** @type {KeyboardEvent} */ event) => {
    const id = active.value ?? tabStop;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (id) open(id);
      return;
    }
    if (event.key === "Escape") {
      pointed.value = null;
      return;
    }
    if (event.key === "+" || event.key === "=") return cam.zoom(1.25, undefined, undefined, true);
    if (event.key === "-") return cam.zoom(0.8, undefined, undefined, true);
    if (event.key === "0") return cam.fit(box);
    const to = id && nextNode(event.key, id, standing, places);
    if (to) {
      event.preventDefault();
      focus(to);
      pointed.value = to;
    }
  };

  const tabStop =
    active.value && places.has(active.value)
      ? active.value
      : selected && places.has(selected)
        ? selected
        : (standing[0]?.id ?? null);
  const aboutId = opened.value ?? pointed.value;
  const about = isWide && aboutId && !isChosen ? all.get(aboutId) : undefined;
  const shown = isWide ? undefined : all.get(opened.value ?? "");
  const lit = pointed.value && places.has(pointed.value) ? ancestry(all, pointed.value) : null;
  const delays = useMemo(() => delaysOf(standing, places, fresh), [places, fresh]);
  const world = useMemo(
    () =>
      computed(() => {
        const { x, y, k } = cam.view.value;
        return `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${k.toFixed(4)})`;
      }),
    [],
  );
  const far = useMemo(
    () =>
      computed(() =>
        DISTANCES.filter(([, below]) => cam.view.value.k < below)
          .map(([name]) => name)
          .join(" "),
      ),
    [],
  );

  return html`<section class="map" aria-label=${t("path.map")} ref=${frame}>
    <svg
      ref=${svg}
      class="canvas ${live ? "live" : ""}"
      role="group"
      aria-label=${props.label}
      aria-describedby="map-keys"
      onKeyDown=${key}
    >
      <g transform=${world} class=${far}>
        <${Wires} cam=${cam} top=${top} bottom=${lowest} named=${standing.length > 0} />
        <${Ground}
          cam=${cam}
          y=${ground}
          entries=${standing
            .filter((node) => places.get(node.id)?.layer === lowest)
            .map((node) => places.get(node.id)?.x ?? 0)}
          text=${seeds.length ? t("path.seedbed") : props.brings}
          hasRoots=${standing.length > 0 && !seeds.length}
        />
        <${Branches}
          pairs=${pairs}
          nodes=${[...standing, ...gone]}
          all=${all}
          places=${taken}
          fresh=${fresh}
          lit=${lit}
          delays=${delays}
          isRoomy=${props.isRoomy}
        />
        ${live && !nodes.length && html`<${EmptyPlot} y=${ground} />`}
        <${SeedBed} seeds=${seeds} y=${ground + 40} perRow=${SEEDS_PER_ROW} row=${SEED_ROW} />
        ${gone.map((node) => {
          const place = ghosts.get(node.id);
          return place && html`<${Ghost} key=${node.id} title=${node.title} x=${place.x} y=${yOf(place.layer)} />`;
        })}
        ${standing.map((node) => {
          const place = /** @type {import("../../types.d.ts").Place} */ (places.get(node.id));
          const words = props.words(node);
          return html`<${MapNode}
            key=${node.id}
            id=${node.id}
            title=${node.title}
            state=${node.state}
            mastery=${node.mastery}
            x=${place.x}
            y=${yOf(place.layer)}
            petals=${props.petals(node)}
            text=${words.text}
            timed=${statusWithMinutes(words)}
            tone=${words.tone}
            isFresh=${fresh.has(node.id)}
            delay=${delays.get(node.id) ?? 0}
            isDim=${lit !== null && !lit.has(node.id)}
            isSelected=${selected === node.id}
            isStop=${tabStop === node.id}
            isRoomy=${props.isRoomy}
            active=${active}
            pointed=${pointed}
            onLeave=${leave}
            onOpen=${open}
          />`;
        })}
        ${!lit && html`<${note.View} nodes=${standing} beside=${[...standing, ...gone]} places=${taken} />`}
      </g>
    </svg>
    ${props.children}
    ${
      about &&
      places.has(about.id) &&
      html`<${card.View}
        node=${about}
        status=${statusWithMinutes(props.words(about))}
        all=${all}
        place=${places.get(about.id)}
        cam=${cam}
        branchId=${props.branchId}
        isOpened=${opened.value === about.id}
        onLeave=${() => leave(about.id)}
        onClose=${closeCard}
      />`
    }
    ${
      shown &&
      html`<${sheet.View}
        node=${shown}
        status=${statusWithMinutes(props.words(shown))}
        all=${all}
        branchId=${props.branchId}
        onTurn=${(/** @type {string} */ id) => {
          opened.value = id;
        }}
        onClose=${() => {
          opened.value = null;
        }}
      />`
    }
    <p class="vh" id="map-keys">${t("map.keys")}</p>
    <div class="map-tools">
      <div class="tools" role="group" aria-label=${t("map.tools")}>
        <${Tool} icon="plus" label=${t("map.closer")} onClick=${() => cam.zoom(1.3, undefined, undefined, true)} />
        <${Tool}
          icon="minus"
          label=${t("map.further")}
          onClick=${() => cam.zoom(1 / 1.3, undefined, undefined, true)}
        />
        <${Tool} icon="fit" label=${t("map.fit")} onClick=${() => cam.fit(box)} />
        <${Tool} icon="list" label=${t("map.as_list")} onClick=${props.onList} />
      </div>
      <${Legend} />
    </div>
  </section>`;
}

/** @param {{ icon: any, label: string, onClick: () => void }} props */
const Tool = ({ icon, label, onClick }) =>
  html`<button type="button" aria-label=${label} title=${label} onClick=${onClick}><${Icon} name=${icon} /></button>`;

/**
 * The box that the camera shows.
 * @param {TitledNode[]} nodes
 * @param {Places} places
 * @param {number} ground
 * @param {number} seeds
 */
function boxOf(nodes, places, ground, seeds) {
  const { left, right, top } = extent(nodes, places);
  const bed = seeds ? 40 + Math.ceil(seeds / SEEDS_PER_ROW) * SEED_ROW : 44;
  const wide = seeds ? 400 : 160;
  return { left: Math.min(left, -wide), right: Math.max(right, wide), top: yOf(top) - ROW / 2, bottom: ground + bed };
}

/**
 * Animation delays: at most six nodes grow at once, from the ground up.
 * @param {GraphNode[]} nodes
 * @param {Places} places
 * @param {Set<string>} fresh
 * @returns {Map<string, number>} ms
 */
function delaysOf(nodes, places, fresh) {
  const born = nodes
    .filter((node) => fresh.has(node.id))
    .sort((a, b) => (places.get(a.id)?.layer ?? 0) - (places.get(b.id)?.layer ?? 0));
  return new Map(
    born.map((node, i) => [node.id, Math.floor(i / AT_ONCE) * GROW_MS + (places.get(node.id)?.layer ?? 0) * 60]),
  );
}

/**
 * Update the camera's frame size.
 * @param {{ current: HTMLElement | null }} frame
 * @param {import("./camera.js").Camera} cam
 * @param {import("./camera.js").Box} box
 */
function useFrameSize(frame, cam, box) {
  const latest = useRef(box);
  latest.current = box;
  useEffect(() => {
    const parts = [...(frame.current?.querySelectorAll("svg.canvas, .map-head") ?? [])];
    const watch = new ResizeObserver(() => {
      const [canvas, head] = parts.map((part) => part.getBoundingClientRect());
      if (!canvas.width || !canvas.height) return;
      cam.size.value = { width: canvas.width, height: canvas.height, head: head ? head.bottom - canvas.top : 0 };
      cam.follow(latest.current, false);
    });
    for (const part of parts) watch.observe(part);
    return () => watch.disconnect();
  }, []);
}
