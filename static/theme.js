// @ts-check
/** Theme, set before the first paint: the chosen one, else the system's. */
(() => {
  const KEY = "sprout.theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const keep = (/** @type {string | null} */ theme) => {
    try {
      theme ? localStorage.setItem(KEY, theme) : localStorage.removeItem(KEY);
    } catch {
      /* private mode: the choice lasts as long as the page */
    }
  };
  const show = (/** @type {string | null} */ theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  show(read());
  addEventListener("sprout:theme", (event) => {
    const wanted = /** @type {CustomEvent} */ (event).detail; // a theme, or nothing for the other one
    const system = dark.matches ? "dark" : "light";
    const now = document.documentElement.dataset.theme ?? system;
    const next = now === "dark" ? "light" : "dark";
    const other = next === system ? null : next; // back at the system's theme: follow it again
    const chosen = wanted ? (wanted === "system" ? null : wanted) : other;
    show(chosen);
    keep(chosen);
  });
})();
