// @ts-check
/** Icons: 24 px grid, 1.5 px lines, round ends; hidden from screen readers. */

import { html } from "../../lib/html.js";

const SHAPES = {
  again: "M18.5 12a6.5 6.5 0 1 1-2-4.7M18.5 4v4.2h-4.2",
  arrow: "M5 12h14M13 6l6 6-6 6",
  chart: "M4.5 19.5h15M6.5 16c3 0 3-8 6-8s3 4 6 4",
  chat: "M4.5 5.5h15v10.5h-8L7 20v-4H4.5z",
  check: "M5.5 12.5 10 17l8.5-9.5",
  clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7v5l3.5 2",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  columns: "M4.5 5h15v14h-15zM9.5 5v14M14.5 5v14",
  copy: "M9 8.5h10v11H9zM15 8.5v-4H5v11h4",
  doc: "M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4M9.5 12.5h5M9.5 16h5",
  down: "M6 9.5l6 6 6-6",
  export: "M12 4v10.5M7.5 10l4.5 4.5 4.5-4.5M5 19.5h14",
  fit: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
  flag: "M6 20.5v-16h11.5L15 8.5l2.5 4H6",
  hourglass: "M7 4h10M7 20h10M8 4c0 4 3 5.5 4 8-1 2.5-4 4-4 8M16 4c0 4-3 5.5-4 8 1 2.5 4 4 4 8",
  info: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 11v5.5M12 7.6v.1",
  key: "M8.5 15.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12.5 11.5h8M17 11.5V15M20 11.5V14",
  list: "M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.1M4.5 12h.1M4.5 17.5h.1",
  map: "M12 20v-5M12 15 6 9.5M12 15l6-5.5M6 9.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM18 9.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12 5v10",
  minus: "M5 12h14",
  moon: "M19.5 14A7.8 7.8 0 0 1 10 4.5a8 8 0 1 0 9.5 9.5Z",
  people:
    "M9 11.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3.5 19c.3-3.3 2.3-5 5.5-5s5.2 1.7 5.5 5M15.5 6a2.7 2.7 0 0 1 0 5.2M17 14.3c2 .5 3.2 2.1 3.5 4.7",
  pause: "M8.5 6v12M15.5 6v12",
  play: "M8 5.5v13l10.5-6.5z",
  plus: "M12 5v14M5 12h14",
  pot: "M4 19.5h16M12 19.5V11M12 13c-.3-3-2.2-4.5-5.5-4.5.2 3 2 4.5 5.5 4.5ZM12 11c0-3.3 1.7-5.5 5-6 .3 3.8-1.5 6-5 6Z",
  print: "M7 9V4.5h10V9M7 16.5H4.5V9h15v7.5H17M7 14h10v5.5H7z",
  pulse: "M3.5 12h4l3-7 4 14 2.5-7h3.5",
  right: "M9.5 6l6 6-6 6",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.3 15.3 20 20",
  sliders:
    "M4.5 7.5h8M17.5 7.5h2M4.5 16.5h2M11.5 16.5h8M15 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM9 19a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  stop: "M7 7h10v10H7z",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4",
  today: "M4.5 18.5h15M12 5v2.5M6.2 8.2l1.6 1.6M17.8 8.2l-1.6 1.6M7 18.5a5 5 0 0 1 10 0",
  trash: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7M10.3 10.5v6M13.7 10.5v6",
  undo: "M4.5 9.5H14a5 5 0 0 1 0 10h-3M4.5 9.5 9 5M4.5 9.5 9 14",
  upload: "M12 15.5V5M7.5 9.5 12 5l4.5 4.5M5 19.5h14",
  warn: "M12 4 3.5 19h17zM12 10v4M12 16.6v.1",
};

/** Icons that are mirrored with the direction of the page. */
const ALONG = ["arrow", "right"];

/** @param {{ name: keyof typeof SHAPES, small?: boolean }} props */
export const Icon = ({ name, small }) =>
  html`<svg class="i ${small ? "sm" : ""} ${ALONG.includes(name) ? "way" : ""}" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${SHAPES[name]} />
  </svg>`;

export const Logo = () =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <path class="logo-stem" d="M12 22V10" />
    <path class="logo-old" d="M12 13.5C12 8.5 8.5 5 2.5 5c0 5 3.5 8.5 9.5 8.5Z" />
    <path class="logo-new" d="M12 10.5C12 5.5 15 2 21.5 2c0 5.5-3.5 8.5-9.5 8.5Z" />
  </svg>`;

/** The hatching for waits, defined once per page. */
export const Patterns = () =>
  html`<svg class="vh" width="0" height="0" aria-hidden="true">
    <defs>
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="hatch-line" d="M0 0v5" />
      </pattern>
    </defs>
  </svg>`;
