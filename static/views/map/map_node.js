// @ts-check
/** Node on the map; renders only when one of its props changed. */

import { Component } from "preact";
import { statusRoom, titleLines } from "../../layout/measures.js";
import { html } from "../../lib/html.js";
import { t } from "../../lib/i18n.js";
import { Petals, Shape } from "../common/node_state_shapes.js";

/**
 * @typedef {{
 *   id: string,
 *   title: string,
 *   state: import("../../state/graph.js").NodeState,
 *   mastery: number,
 *   x: number,
 *   y: number,
 *   petals: string,
 *   text: string,
 *   timed: string,
 *   tone: string,
 *   isFresh: boolean,
 *   delay: number,
 *   isDim: boolean,
 *   isSelected: boolean,
 *   isStop: boolean,
 *   isRoomy: boolean,
 *   active: import("@preact/signals").Signal<string | null>,
 *   pointed: import("@preact/signals").Signal<string | null>,
 *   onLeave: (id: string) => void,
 *   onOpen: (id: string) => void,
 * }} Props `timed`: the status with minutes, shown where it has room
 */

const POINT_MS = 400;
const UNFOLD_AT_MS = 280;
/** Average width of a title's letter, for the gap in the layer's line. */
const LETTER = 7.2;

/** @extends {Component<Props>} */
export class MapNode extends Component {
  /** @param {Props} next */
  shouldComponentUpdate(next) {
    const now = /** @type {any} */ (this.props);
    return Object.entries(next).some(([name, value]) => name !== "onOpen" && name !== "onLeave" && now[name] !== value);
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  /** @param {Props} props */
  render(props) {
    const {
      id,
      title,
      state,
      mastery,
      x,
      y,
      petals,
      text,
      timed,
      tone,
      isFresh,
      delay,
      isDim,
      isSelected,
      isStop,
      isRoomy,
      active,
      pointed,
    } = props;
    const point = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        pointed.value = id;
      }, POINT_MS);
    };
    const leave = () => {
      clearTimeout(this.timer);
      this.props.onLeave(id);
    };
    const focused = (/** @type {FocusEvent} */ event) => {
      active.value = id;
      if (/** @type {Element} */ (event.target).matches(":focus-visible")) pointed.value = id;
    };
    const labelAt = isRoomy ? 38 : 30;
    const label = t("node.label", { title, state: t(`state.${state}`), meta: timed });
    return html`<g
      class="hit s-${state} ${isDim ? "dim-node" : ""}"
      style=${{ transform: `translate(${x}px, ${y}px)` }}
      tabindex=${isStop ? 0 : -1}
      role="button"
      data-id=${id}
      aria-label=${label}
      aria-describedby="map-note"
      onClick=${() => this.props.onOpen(id)}
      onFocus=${focused}
      onBlur=${leave}
      onMouseEnter=${point}
      onMouseLeave=${leave}
    >
      <g class=${isFresh ? "grow-n" : ""} style=${isFresh ? { animationDelay: `${delay + UNFOLD_AT_MS}ms` } : {}}>
        <circle class="spot" r=${isRoomy ? 31 : 20} />
        ${isFresh && html`<circle class="halo" r=${isRoomy ? 33 : 24} />`}
        <circle class=${isSelected ? "sel" : "ring"} r=${isRoomy ? 33 : 23} />
        <${Petals} states=${petals} />
        <${Shape} state=${state} mastery=${mastery} />
      </g>
      <g class=${isFresh ? "grow-l" : ""} style=${isFresh ? { animationDelay: `${delay + UNFOLD_AT_MS + 200}ms` } : {}}>
        <${Label} title=${title} text=${timed.length > statusRoom(title) ? text : timed} tone=${tone} x=${labelAt} />
      </g>
    </g>`;
  }
}

/**
 * The title and status, in a gap of the layer's line.
 * @param {{ title: string, text: string, tone: string, x: number }} props
 */
function Label({ title, text, tone, x }) {
  const titles = titleLines(title);
  const first = [-3, -13, -22][titles.length - 1];
  return html`
    <rect
      class="gap"
      x=${x - 6}
      y="-2"
      width=${Math.max(...titles.map((each) => each.length)) * LETTER + 12}
      height="4"
    />
    ${titles.map((each, i) => html`<text key=${i} class="nt" x=${x} y=${first + i * 18}>${`${each} `}</text>`)}
    <text class="nm ${tone}" x=${x} y=${first + (titles.length - 1) * 18 + 19}>${text}</text>
  `;
}

/**
 * Place of a removed node; hidden from screen readers, since the list of changes names it.
 * @param {{ title: string, x: number, y: number }} props
 */
export const Ghost = ({
  title,
  x,
  y,
}) => html`<g class="s-gone" aria-hidden="true" style=${{ transform: `translate(${x}px, ${y}px)` }}>
  <circle class="spot" r="20" />
  <circle class="body" r="12" />
  <${Label} title=${title} text=${t("map.gone")} tone="" x=${30} />
</g>`;
