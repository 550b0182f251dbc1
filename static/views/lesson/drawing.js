// @ts-check
/** Drawing pad for pen, finger or mouse, with undo; yields a PNG. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { loadDraft, saveDraft } from "../../state/drafts.js";
import { Icon } from "../common/icons.js";

const WIDTH = 960;
/** Wide screens use a wide canvas, narrow ones a tall one. */
const HEIGHT = { wide: 340, narrow: 840 };
const small = matchMedia("(max-width: 760px)");
const PEN = 4;

/** @typedef {{ x: number, y: number }[]} Stroke */

/**
 * @param {{ id: string, off: boolean, onDrawn: (picture: string | null) => void }} props `id`: the draft's id;
 *   `onDrawn` gets a data URL, or null if the pad is empty
 */
export function DrawingPad({ id, off, onDrawn }) {
  const height = useMemo(() => (small.matches ? HEIGHT.narrow : HEIGHT.wide), []);
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const strokes = useSignal(/** @type {Stroke[]} */ (JSON.parse(loadDraft(id) || "[]")));
  const drawing = useRef(/** @type {Stroke | null} */ (null));

  const paint = () => {
    const pen = canvas.current?.getContext("2d");
    if (!pen) return;
    pen.fillStyle = "#ffffff"; // the same in both themes: dark ink on white
    pen.fillRect(0, 0, WIDTH, height);
    pen.strokeStyle = "#16211a";
    pen.lineWidth = PEN;
    pen.lineCap = pen.lineJoin = "round";
    for (const stroke of [...strokes.value, ...(drawing.current ? [drawing.current] : [])]) {
      pen.beginPath();
      stroke.forEach(({ x, y }, i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      if (stroke.length === 1) pen.lineTo(stroke[0].x + 0.1, stroke[0].y);
      pen.stroke();
    }
  };
  const keep = (/** @type {Stroke[]} */ next) => {
    strokes.value = next;
    saveDraft(id, next.length ? JSON.stringify(next) : "");
    tell();
  };
  const tell = () => {
    paint();
    onDrawn(strokes.value.length ? (canvas.current?.toDataURL("image/png") ?? null) : null);
  };
  useEffect(tell, []);

  const placeOf = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {HTMLCanvasElement} */ (canvas.current).getBoundingClientRect();
    return {
      x: Math.round(((event.clientX - box.left) / box.width) * WIDTH),
      y: Math.round(((event.clientY - box.top) / box.height) * height),
    };
  };
  const down = (/** @type {PointerEvent} */ event) => {
    if (off || event.button) return;
    canvas.current?.setPointerCapture(event.pointerId);
    drawing.current = [placeOf(event)];
    paint();
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (!drawing.current) return;
    drawing.current.push(placeOf(event));
    paint();
  };
  const up = () => {
    const stroke = drawing.current;
    drawing.current = null;
    if (stroke) keep([...strokes.value, stroke]);
  };

  return html`<div class="pad">
    <canvas
      ref=${canvas}
      width=${WIDTH}
      height=${height}
      role="img"
      aria-label=${t("tu.pad")}
      onPointerDown=${down}
      onPointerMove=${move}
      onPointerUp=${up}
      onPointerCancel=${up}
    ></canvas>
    <div class="row">
      <button
        class="btn flat sm"
        type="button"
        disabled=${off || !strokes.value.length}
        onClick=${() => keep(strokes.value.slice(0, -1))}
      >
        <${Icon} name="undo" small />
        ${t("tu.undo")}
      </button>
      <button class="btn flat sm" type="button" disabled=${off || !strokes.value.length} onClick=${() => keep([])}>
        <${Icon} name="trash" small />
        ${t("tu.clear")}
      </button>
      <span class="t13 dimmer">${t("tu.note_hint")}</span>
    </div>
  </div>`;
}
