// @ts-check
/** Camera of the map. Follows the growth until someone pans or zooms. */

import { signal } from "@preact/signals";

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

const NEAREST = 2;
const FURTHEST = 0.06;
const MOVE_MS = 240;
const PAD = { left: 28, right: 84, bottom: 84 };
/** A low plant is raised from the lower edge and enlarged a little. */
const MOST_LIFT = 96;
const LIFT = 0.4;
const LARGEST = 1.1;
const SMALL_PAD = { left: 12, right: 12, bottom: 136 };
const SMALL = 700;
/** Least scale of a view that nobody chose: the smallest label then has 12 px. */
export const READABLE = 0.93;
/** Least scale at which titles have 12 px. */
export const TITLES = 0.8;

/** @typedef {ReturnType<typeof camera>} Camera */

export function camera() {
  const view = signal({ x: 0, y: 0, k: 1 });
  /** Of the frame, and how far its head reaches down in it. */
  const size = signal({ width: 0, height: 0, head: 0 });
  let own = true;
  let frame = 0;
  /** Point to show once the frame's size is known. @type {[number, number] | null} */
  let wanted = null;

  /** @param {{ x: number, y: number, k: number }} to @param {boolean} smooth */
  function move(to, smooth) {
    cancelAnimationFrame(frame);
    if (!smooth || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      view.value = to;
      return;
    }
    const from = view.value;
    const startMs = performance.now();
    const step = (/** @type {number} */ nowMs) => {
      const share = Math.min(1, Math.max(0, (nowMs - startMs) / MOVE_MS));
      const eased = share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2;
      view.value = {
        x: from.x + (to.x - from.x) * eased,
        y: from.y + (to.y - from.y) * eased,
        k: from.k + (to.k - from.k) * eased,
      };
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  /** The view that fits the box, with the ground at the lower edge. @param {Box} box @param {number} [least] */
  function fitting(box, least = FURTHEST) {
    const { width, height, head } = size.value;
    const pad = width < SMALL ? SMALL_PAD : PAD;
    const roomX = Math.max(80, width - pad.left - pad.right);
    const roomY = Math.max(80, height - head - pad.bottom);
    const isSmall = width < SMALL;
    const k = Math.min(
      isSmall ? 1 : LARGEST,
      Math.max(least, Math.min(roomX / (box.right - box.left), roomY / (box.bottom - box.top))),
    );
    const lift = isSmall ? 0 : Math.min(MOST_LIFT, LIFT * Math.max(0, roomY - (box.bottom - box.top) * k));
    const fits = (box.right - box.left) * k <= roomX + pad.right;
    return {
      k,
      x: fits ? pad.left + roomX / 2 - ((box.left + box.right) / 2) * k : pad.left - box.left * k,
      y: height - pad.bottom - lift - box.bottom * k,
    };
  }

  /** Pan to show a point of the world. @param {number} worldX @param {number} worldY */
  function show(worldX, worldY) {
    const { x, y, k } = view.value;
    const { width, height, head } = size.value;
    if (!width) {
      wanted = [worldX, worldY];
      return;
    }
    const dx = Math.max(0, 60 - (worldX * k + x)) - Math.max(0, worldX * k + x - (width - 220));
    const below = width < SMALL ? SMALL_PAD.bottom : 120;
    const dy = Math.max(0, head + 40 - (worldY * k + y)) - Math.max(0, worldY * k + y - (height - below));
    if (dx || dy) {
      own = false;
      move({ k, x: x + dx, y: y + dy }, true);
    }
  }

  return {
    view,
    size,
    /** Fit the box, and keep following. @param {Box} box @param {boolean} [smooth] */
    fit(box, smooth = true) {
      own = true;
      move(fitting(box), smooth);
    },
    /** Fit the box, unless someone moved the camera. @param {Box} box @param {boolean} smooth */
    follow(box, smooth) {
      if (!own || !size.value.width) return;
      move(fitting(box, READABLE), smooth);
      if (wanted) show(...wanted);
      wanted = null;
    },
    /** @param {number} dx @param {number} dy */
    pan(dx, dy) {
      own = false;
      cancelAnimationFrame(frame);
      view.value = { ...view.value, x: view.value.x + dx, y: view.value.y + dy };
    },
    /**
     * Zoom about a point of the screen.
     * @param {number} factor
     * @param {number} [atX]
     * @param {number} [atY]
     * @param {boolean} [smooth]
     */
    zoom(factor, atX = size.value.width / 2, atY = size.value.height / 2, smooth = false) {
      own = false;
      const { x, y, k } = view.value;
      const next = Math.min(NEAREST, Math.max(FURTHEST, k * factor));
      move({ k: next, x: atX - ((atX - x) * next) / k, y: atY - ((atY - y) * next) / k }, smooth);
    },
    show,
  };
}
