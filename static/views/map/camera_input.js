// @ts-check
/** Camera input: drag pans, wheel zooms, two fingers do both. */

import { useEffect } from "preact/hooks";

/** Movement below this many px is a click. */
const SLOP = 4;

/** @param {{ current: SVGSVGElement | null }} svg @param {import("./camera.js").Camera} cam */
export function useCameraInput(svg, cam) {
  useEffect(() => {
    const element = /** @type {SVGSVGElement} */ (svg.current);
    /** @type {Map<number, { x: number, y: number }>} */
    const fingers = new Map();
    let moved = 0;

    const at = (/** @type {MouseEvent} */ event) => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const down = (/** @type {PointerEvent} */ event) => {
      if (event.button) return;
      fingers.set(event.pointerId, at(event));
      if (fingers.size === 1) moved = 0;
    };
    const move = (/** @type {PointerEvent} */ event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      moved += Math.hypot(now.x - before.x, now.y - before.y);
      if (moved < SLOP) return;
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const wide = Math.hypot(before.x - other.x, before.y - other.y) || 1;
        cam.zoom(Math.hypot(now.x - other.x, now.y - other.y) / wide, (now.x + other.x) / 2, (now.y + other.y) / 2);
      } else {
        cam.pan(now.x - before.x, now.y - before.y);
      }
      fingers.set(event.pointerId, now);
    };
    const up = (/** @type {PointerEvent} */ event) => fingers.delete(event.pointerId);
    const click = (/** @type {MouseEvent} */ event) => {
      if (moved >= SLOP) {
        event.stopPropagation();
        event.preventDefault();
        moved = 0;
      }
    };
    const wheel = (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      const { x, y } = at(event);
      cam.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.0015)), x, y);
    };

    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("click", click, true);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("click", click, true);
      element.removeEventListener("wheel", wheel);
    };
  }, []);
}
