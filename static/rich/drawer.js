// @ts-check
/**
 * Mermaid behind glass: it runs in a frame with an origin of its own, without any network, and is handed text.
 * What it draws comes back as text, and is shown as an image, in which no script runs and nothing is fetched.
 */

/** @typedef {{ svg: string, width: number, height: number, labels: string }} Drawing */
/** @typedef {ReturnType<typeof import("./look.js").lookNow>} Look */

const LONGEST_SOURCE = 20_000;
/** A node that is a picture from somewhere: nothing is fetched for a diagram, so it is not tried. */
const PICTURE = /@\{[^}]*\bimg\b/;
const LONGEST_DRAWING = 600_000;
const LONGEST_SIDE = 20_000;
const LONGEST_LABELS = 400;
const READY_MS = 10_000;
const DRAWN_MS = 8_000;
const KEPT = 40;
const LIBRARY = new URL("../vendor/mermaid.js", import.meta.url).href;

/** The frame, once its library runs in it. @type {Promise<HTMLIFrameElement> | null} */
let frame = null;
/** One drawing after another. @type {Promise<unknown>} */
let last = Promise.resolve();
let drawings = 0;
/** The drawings of this page by their look and source, oldest first. @type {Map<string, Drawing>} */
const kept = new Map();

/** @param {string} source @param {Look} look */
const keyOf = (source, look) => `${JSON.stringify(look)}\n${source}`;

/** What stands already, so that a text that is shown anew does not blink. @param {string} source @param {Look} look @returns {Drawing | null} */
export const drawnBefore = (source, look) => kept.get(keyOf(source, look)) ?? null;

/** @param {string} source @param {Look} look @returns {Promise<Drawing>} Raises Error where it cannot be drawn, or not in time. */
export async function drawn(source, look) {
  const known = drawnBefore(source, look);
  if (known) return known;
  if (source.length > LONGEST_SOURCE || PICTURE.test(source)) throw new Refused();
  const mine = last.then(() => drawnNow(source, look));
  last = mine.catch(() => null);
  const drawing = await mine;
  kept.set(keyOf(source, look), drawing);
  if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return drawing;
}

/** @param {string} source @param {Look} look @returns {Promise<Drawing>} */
async function drawnNow(source, look) {
  frame ??= opened();
  const mine = frame;
  try {
    const glass = await mine;
    const id = ++drawings;
    const told = heard(glass, (news) => news.id === id, DRAWN_MS);
    glass.contentWindow?.postMessage({ kind: "draw", id, source, look }, "*");
    const news = await told;
    if (news.kind !== "drawn") throw new Refused();
    return checked(news);
  } catch (error) {
    if (!(error instanceof Refused)) closed(mine); // it hangs or is broken: the next drawing gets a new frame
    throw error;
  }
}

/** The source is no diagram that is drawn here. */
class Refused extends Error {}

/** What came out of the frame is believed as far as it is plain text and numbers of a sensible size. @param {any} news @returns {Drawing} */
function checked({ svg, width, height, labels }) {
  const isSide = (/** @type {unknown} */ side) => Number.isInteger(side) && Number(side) > 0 && Number(side) <= LONGEST_SIDE;
  if (typeof svg !== "string" || svg.length > LONGEST_DRAWING || !isSide(width) || !isSide(height)) throw new Refused();
  return { svg, width, height, labels: String(labels ?? "").slice(0, LONGEST_LABELS) };
}

/** @returns {Promise<HTMLIFrameElement>} */
async function opened() {
  const glass = document.createElement("iframe");
  glass.setAttribute("sandbox", "allow-scripts");
  glass.className = "drawer";
  glass.tabIndex = -1;
  glass.ariaHidden = "true";
  glass.src = "/frames/diagram";
  try {
    const [code] = await Promise.all([library(), loaded(glass)]);
    const ready = heard(glass, (news) => news.kind === "ready", READY_MS);
    glass.contentWindow?.postMessage({ kind: "library", code }, "*");
    await ready;
    return glass;
  } catch (error) {
    glass.remove();
    throw error;
  }
}

/** @param {Promise<HTMLIFrameElement>} opening */
async function closed(opening) {
  if (frame === opening) frame = null;
  (await opening.catch(() => null))?.remove();
}

async function library() {
  const answer = await fetch(LIBRARY);
  if (!answer.ok) throw new Error(`the library could not be fetched: ${answer.status}`);
  return answer.text();
}

/** @param {HTMLIFrameElement} glass */
const loaded = (glass) => new Promise((resolve) => { glass.onload = resolve; document.body.append(glass); });

/** The next message of the frame, and of no other window, that is meant. @param {HTMLIFrameElement} glass @param {(news: any) => boolean} isMeant @param {number} withinMs @returns {Promise<any>} */
function heard(glass, isMeant, withinMs) {
  return new Promise((resolve, reject) => {
    const over = () => { removeEventListener("message", listen); clearTimeout(late); };
    const listen = (/** @type {MessageEvent} */ event) => {
      if (event.source !== glass.contentWindow || typeof event.data !== "object" || !event.data || !isMeant(event.data)) return;
      over();
      resolve(event.data);
    };
    const late = setTimeout(() => { over(); reject(new Error("not drawn in time")); }, withinMs);
    addEventListener("message", listen);
  });
}
