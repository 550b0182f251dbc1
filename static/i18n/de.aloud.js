// @ts-check
/** Words of reading aloud, in German. */

/** @type {Record<keyof typeof import("./en.aloud.js").default, string>} */
export default {
  "aloud.read": "Vorlesen",
  "aloud.stop": "Nicht weiterlesen",
};
