// @ts-check
/** Replay of a finished run: play, pause, or move the playhead. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, parseMs } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { t } from "../../i18n/run.js";
import { Icon } from "../common/icons.js";

/** Longest duration of a replay. */
const LONGEST_MS = 20_000;

/** @param {{ path: import("../../state/open_path.js").OpenPath }} props */
export function Playhead({ path }) {
  const playing = useSignal(false);
  const { startedAt, endedAt } = path.activity.value ?? {};
  const fromMs = startedAt ? parseMs(startedAt) : 0;
  const toMs = endedAt ? parseMs(endedAt) : 0;
  const speed = Math.max(1, (toMs - fromMs) / LONGEST_MS);

  useEffect(() => {
    if (!playing.value) return;
    let lastMs = performance.now();
    let frame = requestAnimationFrame(function step(nowMs) {
      const next = (path.playhead.value ?? fromMs) + (nowMs - lastMs) * speed;
      lastMs = nowMs;
      if (next >= toMs) {
        playing.value = false;
        path.playhead.value = null;
        return;
      }
      path.playhead.value = next;
      frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing.value, fromMs, toMs]);
  useEffect(
    () => () => {
      path.playhead.value = null;
    },
    [],
  );

  if (!(toMs > fromMs)) return null;
  const at = path.playhead.value ?? toMs;
  const play = () => {
    if (path.playhead.value === null) path.playhead.value = fromMs;
    playing.value = !playing.value;
  };
  const pull = (/** @type {any} */ event) => {
    playing.value = false;
    const value = Number(event.target.value);
    path.playhead.value = value >= toMs - fromMs ? null : fromMs + value;
  };
  return html`<div class="playhead">
    <button class="btn flat sm" type="button" onClick=${play}>
      <${Icon} name=${playing.value ? "pause" : "play"} small />
      ${t(playing.value ? "act.pause" : "act.replay")}
    </button>
    <input
      type="range"
      min="0"
      max=${toMs - fromMs}
      step="any"
      value=${at - fromMs}
      aria-label=${t("act.playhead")}
      aria-valuetext=${clock(at - fromMs)}
      onInput=${pull}
    />
    <span class="t12 dimmer">${clock(at - fromMs)}</span>
  </div>`;
}
