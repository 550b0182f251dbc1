// @ts-check
/** Routing: the screen that the address names, and navigation without reloading. */

import { signal } from "@preact/signals";

/**
 * @typedef {
 *   | { name: "home" }
 *   | { name: "path", branchId: string, conceptId: string | null }
 *   | { name: "diagnostic", branchId: string, conceptId: string }
 *   | { name: "placement", branchId: string, nodeId?: string }
 *   | { name: "lesson", branchId: string, conceptId: string, nodeId: string }
 *   | { name: "run", runId: string }
 *   | { name: "paths" | "progress" | "review" | "settings" | "classes" | "people" }
 *   | { name: "class" | "desk" | "seen", classId: string }
 *   | { name: "sign_in", way: string }
 *   | { name: "unknown" }
 * } Screen
 */

/** Addresses of one word, each a screen of that name. */
const ALONE = ["paths", "progress", "classes", "review", "settings", "people"];
/** Addresses of the screens on which one signs in; what they carry stands behind the `#`. */
const SIGN_IN = ["set-up", "password", "sign-in", "card", "join", "forgotten", "recover", "email"];

/** @param {string} pathname @returns {Screen} */
export function parseScreen(pathname) {
  const [first, branchId, second, conceptId, third, nodeId, ...more] = pathname
    .split("/")
    .filter(Boolean)
    .map(decodeURIComponent);
  if (!first) return { name: "home" };
  if (ALONE.includes(first) && !branchId) return /** @type {Screen} */ ({ name: first });
  if (SIGN_IN.includes(first) && !branchId) return { name: "sign_in", way: first };
  if (first === "progress" && branchId === "mix-ups" && !second) return { name: first };
  if (first === "seen" && branchId && !second) return { name: "seen", classId: branchId };
  if (first === "runs" && branchId && !second) return { name: "run", runId: branchId };
  if (first === "classes" && second === "desk" && !conceptId) return { name: "desk", classId: branchId };
  if (first === "classes" && !second) return { name: "class", classId: branchId };
  if (first !== "paths" || !branchId || more.length) return { name: "unknown" };
  if (!second) return { name: "path", branchId, conceptId: null };
  if (second === "start" && !third) return { name: "placement", branchId, nodeId: conceptId };
  if (second !== "concepts" || !conceptId) return { name: "unknown" };
  if (!third) return { name: "path", branchId, conceptId };
  if (third === "diagnostic" && !nodeId) return { name: "diagnostic", branchId, conceptId };
  return third === "learn" && nodeId ? { name: "lesson", branchId, conceptId, nodeId } : { name: "unknown" };
}

export const homeUrl = () => "/";
export const signInUrl = () => "/sign-in";
export const forgottenUrl = () => "/forgotten";
export const pathsUrl = () => "/paths";
export const progressUrl = () => "/progress";
export const settingsUrl = () => "/settings";
export const classesUrl = () => "/classes";
/** @param {string} classId */
export const classUrl = (classId) => `/classes/${encodeURIComponent(classId)}`;
/** @param {string} classId */
export const deskUrl = (classId) => `${classUrl(classId)}/desk`;
/** @param {string} classId */
export const seenUrl = (classId) => `/seen/${encodeURIComponent(classId)}`;
export const peopleUrl = () => "/people";
export const reviewUrl = () => "/review";
/** @param {string} branchId @param {string | null} [conceptId] */
export const pathUrl = (branchId, conceptId = null) =>
  `/paths/${encodeURIComponent(branchId)}${conceptId ? `/concepts/${encodeURIComponent(conceptId)}` : ""}`;

/** @param {string} branchId @param {string} conceptId */
export const diagnosticUrl = (branchId, conceptId) => `${pathUrl(branchId, conceptId)}/diagnostic`;
/** @param {string} branchId @param {string} conceptId @param {string} nodeId */
export const lessonUrl = (branchId, conceptId, nodeId) =>
  `${pathUrl(branchId, conceptId)}/learn/${encodeURIComponent(nodeId)}`;

/** @param {string} runId */
export const runUrl = (runId) => `/runs/${encodeURIComponent(runId)}`;

export const screen = signal(parseScreen(location.pathname));

/** @param {string} url */
export function navigate(url) {
  if (url !== location.pathname) history.pushState(null, "", url);
  screen.value = parseScreen(location.pathname);
  scrollTo(0, 0);
}

/**
 * Turn clicks on internal links into navigation, except those that open a new tab.
 * @param {MouseEvent} event
 */
export function followLink(event) {
  const link = /** @type {Element} */ (event.target).closest?.("a[href^='/']:not([download], [target])");
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  event.preventDefault();
  navigate(link.getAttribute("href") ?? "/");
}

addEventListener("popstate", () => {
  screen.value = parseScreen(location.pathname);
});
