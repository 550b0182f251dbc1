// @ts-check
/** Words of reading aloud and of dictation, in German. */

/** @type {Record<keyof typeof import("./en.aloud.js").default, string>} */
export default {
  "aloud.read": "Vorlesen",
  "aloud.stop": "Nicht weiterlesen",

  "dictate.start": "Diktieren",
  "dictate.stop": "Diktat beenden",
  "dictate.heard": "Ich höre zu. Der Knopf oder Escape beendet es; abgeschickt wird erst, wenn du antwortest. Manche Browser schicken Gesprochenes an ihren Hersteller, um Text daraus zu machen.",
  "dictate.denied": "Das Mikrofon ist hier nicht erlaubt. Erlaube es in den Einstellungen deines Browsers für diese Seite, oder tippe.",
  "dictate.no_microphone": "Es wurde kein Mikrofon gefunden. Schließ eines an, oder tippe.",
  "dictate.nothing": "Es war nichts zu hören. Versuch es noch einmal, oder tippe.",
  "dictate.failed": "Dein Browser konnte aus dem Gesprochenen gerade keinen Text machen. Versuch es noch einmal, oder tippe.",
};
