// @ts-check
/** Hold on what is shown while the text above it takes its place: turns far from the window are laid out late. */

const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/**
 * Show again after each change of the layout, until the learner moves by themselves.
 * @param {() => void} show
 * @returns {() => void} lets go
 */
export function stayInView(show) {
  const watch = new ResizeObserver(show);
  document.querySelectorAll(".talk, #dock").forEach((part) => watch.observe(part));
  const letGo = () => {
    watch.disconnect();
    MOVES.forEach((move) => removeEventListener(move, letGo));
  };
  MOVES.forEach((move) => addEventListener(move, letGo, { passive: true }));
  return letGo;
}
