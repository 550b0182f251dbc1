// @ts-check
/** Words of reading aloud, in English. */
export default {
  "aloud.read": "Read aloud",
  "aloud.stop": "Stop reading",
};
