// @ts-check
/** Current colours of the page, for diagrams, which cannot read its style sheet. */

import { signal } from "@preact/signals";

/** Counter of theme changes. @type {import("@preact/signals").Signal<number> | null} */
let changes = null;

/** Version of the theme: views that read it render again when it changes. */
export const themeVersion = () => (changes ??= watchTheme()).value;

function watchTheme() {
  const counted = signal(0);
  const changed = () => {
    counted.value++;
  };
  for (const feature of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"])
    matchMedia(feature).addEventListener("change", changed);
  addEventListener("sprout:theme", changed);
  return counted;
}

/** Mermaid's colours by name, and the tokens that they map to. */
const COLOURS = {
  background: "--ground",
  primaryColor: "--paper",
  primaryTextColor: "--ink",
  primaryBorderColor: "--leaf",
  lineColor: "--ink-2",
  textColor: "--ink",
  titleColor: "--ink",
  secondaryColor: "--new-soft",
  secondaryTextColor: "--ink",
  secondaryBorderColor: "--bark",
  tertiaryColor: "--sunk",
  tertiaryTextColor: "--ink",
  tertiaryBorderColor: "--edge",
  mainBkg: "--paper",
  nodeBorder: "--leaf",
  clusterBkg: "--sunk",
  clusterBorder: "--edge",
  edgeLabelBackground: "--ground",
  noteBkgColor: "--wait-soft",
  noteTextColor: "--ink",
  noteBorderColor: "--wait",
  actorBkg: "--paper",
  actorBorder: "--leaf",
  actorTextColor: "--ink",
  actorLineColor: "--edge",
  signalColor: "--ink-2",
  signalTextColor: "--ink",
  labelBoxBkgColor: "--sunk",
  labelTextColor: "--ink",
  loopTextColor: "--ink",
  pie1: "--new-soft",
  pie2: "--due-soft",
  pie3: "--wait-soft",
  pie4: "--fault-soft",
  pie5: "--sunk",
  pie6: "--paper",
  pieStrokeColor: "--ink-2",
  pieOuterStrokeColor: "--ink-2",
  pieSectionTextColor: "--ink",
  pieTitleTextColor: "--ink",
  pieLegendTextColor: "--ink",
  errorBkgColor: "--fault-soft",
  errorTextColor: "--fault",
};

/** @returns {{ dark: boolean, colours: Record<string, string> }} colours as rgb(…), with the size of the text */
export function themeColours() {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const resolved = (/** @type {string} */ token) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(COLOURS).map(([name, token]) => [name, resolved(token)]));
  const ground = colours.background
    .match(/[\d.]+/g)
    ?.slice(0, 3)
    .map(Number) ?? [255, 255, 255];
  probe.remove();
  return { dark: ground.reduce((sum, part) => sum + part, 0) < 3 * 128, colours: { ...colours, fontSize: "15px" } };
}
