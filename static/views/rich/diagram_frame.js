// @ts-check
/**
 * Sandbox for Mermaid: a frame with its own origin and no network. It gets source as text and returns SVG as text,
 * which is shown as an image, where no script runs and nothing is loaded.
 */

/** @typedef {{ svg: string, width: number, height: number, labels: string }} Drawing */
/** @typedef {ReturnType<typeof import("./theme_colours.js").themeColours>} ThemeColours */

const LONGEST_SOURCE = 20_000;
/** Nodes with an external image, which the frame could not load. */
const PICTURE = /@\{[^}]*\bimg\b/;
const LONGEST_DRAWING = 600_000;
const LONGEST_SIDE = 20_000;
const LONGEST_LABELS = 400;
const READY_MS = 10_000;
const DRAWN_MS = 8_000;
const KEPT = 40;
const LIBRARY = new URL("../../vendor/mermaid.js", import.meta.url).href;

/** The frame, once its library runs in it. @type {Promise<HTMLIFrameElement> | null} */
let frame = null;
/** Queue: one drawing at a time. @type {Promise<unknown>} */
let last = Promise.resolve();
let drawings = 0;
/** Cache of drawings by theme and source, oldest first. @type {Map<string, Drawing>} */
const kept = new Map();

/** @param {string} source @param {ThemeColours} look */
const keyOf = (source, look) => `${JSON.stringify(look)}\n${source}`;

/**
 * The cached drawing, so that re-rendered text does not flicker.
 * @param {string} source
 * @param {ThemeColours} look
 * @returns {Drawing | null}
 */
export const cachedDrawing = (source, look) => kept.get(keyOf(source, look)) ?? null;

/**
 * @param {string} source
 * @param {ThemeColours} look
 * @returns {Promise<Drawing>} Throws Error if it cannot be drawn, or not in time.
 */
export async function drawDiagram(source, look) {
  const known = cachedDrawing(source, look);
  if (known) return known;
  if (source.length > LONGEST_SOURCE || PICTURE.test(source)) throw new Refused();
  const mine = last.then(() => drawInFrame(source, look));
  last = mine.catch(() => null);
  const drawing = await mine;
  kept.set(keyOf(source, look), drawing);
  if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  return drawing;
}

/** @param {string} source @param {ThemeColours} look @returns {Promise<Drawing>} */
async function drawInFrame(source, look) {
  frame ??= openFrame();
  const mine = frame;
  try {
    const glass = await mine;
    const id = ++drawings;
    const told = nextMessage(glass, (news) => news.id === id, DRAWN_MS);
    glass.contentWindow?.postMessage({ kind: "draw", id, source, look }, "*");
    const news = await told;
    if (news.kind !== "drawn") throw new Refused();
    return validated(news);
  } catch (error) {
    if (!(error instanceof Refused)) discardFrame(mine); // broken: the next drawing gets a new frame
    throw error;
  }
}

/** The source cannot be drawn. */
class Refused extends Error {}

/**
 * The frame's answer, if it is text and numbers within limits. Throws Refused.
 * @param {any} news
 * @returns {Drawing}
 */
function validated({ svg, width, height, labels }) {
  const isSide = (/** @type {unknown} */ side) =>
    Number.isInteger(side) && Number(side) > 0 && Number(side) <= LONGEST_SIDE;
  if (typeof svg !== "string" || svg.length > LONGEST_DRAWING || !isSide(width) || !isSide(height)) throw new Refused();
  return { svg, width, height, labels: String(labels ?? "").slice(0, LONGEST_LABELS) };
}

/** @returns {Promise<HTMLIFrameElement>} */
async function openFrame() {
  const glass = document.createElement("iframe");
  glass.setAttribute("sandbox", "allow-scripts");
  glass.className = "drawer";
  glass.tabIndex = -1;
  glass.ariaHidden = "true";
  glass.src = "/frames/diagram";
  try {
    const [code] = await Promise.all([library(), frameLoaded(glass)]);
    const ready = nextMessage(glass, (news) => news.kind === "ready", READY_MS);
    glass.contentWindow?.postMessage({ kind: "library", code }, "*");
    await ready;
    return glass;
  } catch (error) {
    glass.remove();
    throw error;
  }
}

/** @param {Promise<HTMLIFrameElement>} opening */
async function discardFrame(opening) {
  if (frame === opening) frame = null;
  (await opening.catch(() => null))?.remove();
}

async function library() {
  const answer = await fetch(LIBRARY);
  if (!answer.ok) throw new Error(`the library could not be fetched: ${answer.status}`);
  return answer.text();
}

/** @param {HTMLIFrameElement} glass */
const frameLoaded = (glass) =>
  new Promise((resolve) => {
    glass.onload = resolve;
    document.body.append(glass);
  });

/**
 * The next message from the frame that `isMeant` accepts.
 * @param {HTMLIFrameElement} glass
 * @param {(news: any) => boolean} isMeant
 * @param {number} withinMs
 * @returns {Promise<any>}
 */
function nextMessage(glass, isMeant, withinMs) {
  return new Promise((resolve, reject) => {
    const over = () => {
      removeEventListener("message", listen);
      clearTimeout(late);
    };
    const listen = (/** @type {MessageEvent} */ event) => {
      if (event.source !== glass.contentWindow || typeof event.data !== "object" || !event.data || !isMeant(event.data))
        return;
      over();
      resolve(event.data);
    };
    const late = setTimeout(() => {
      over();
      reject(new Error("not drawn in time"));
    }, withinMs);
    addEventListener("message", listen);
  });
}
