// @ts-check
/**
 * Language and direction, set before the first paint: the chosen language, else the browser's first that is available.
 * Its catalogue is preloaded.
 */
(() => {
  const KEY = "sprout.language";
  const page = document.documentElement;
  const known = (page.dataset.languages ?? "en").split(" ");
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const keep = (/** @type {string} */ tag) => {
    try {
      localStorage.setItem(KEY, tag);
    } catch {
      /* private mode: the browser's own languages hold */
    }
  };
  const fitting = (/** @type {string} */ tag) =>
    known.find((each) => each === tag) ?? known.find((each) => tag.split("-")[0] === each);
  const tag = [read() ?? "", ...navigator.languages].map(fitting).find(Boolean) ?? known[0];
  page.lang = tag;
  page.dir = /^(ar|dv|fa|he|ps|ur|yi)\b/.test(tag) ? "rtl" : "ltr";
  const here = /** @type {HTMLScriptElement} */ (document.currentScript).src;
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "modulepreload", href: new URL(`i18n/${tag}.js`, here).href }),
  );
  addEventListener("sprout:language", (event) => {
    keep(/** @type {CustomEvent<string>} */ (event).detail);
    location.reload();
  });
})();
