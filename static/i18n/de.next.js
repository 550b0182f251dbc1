// @ts-check
/** Words of the next step, in German. */

/** @type {Record<keyof typeof import("./en.next.js").default, string>} */
export default {
  "next.label": "Als Nächstes",
  "next.start": "Anfangen, etwa {n} Min.",
  "next.continue": "Weitermachen, etwa {n} Min.",
  "next.of": "{concept}, {done} von {n} Teil gelernt|{concept}, {done} von {n} Teilen gelernt",
  "next.why.started": "Hier hast du aufgehört. Es geht weiter, wo du warst.",
  "next.why.first": "Hier beginnt der Lernpfad: Davor muss nichts kommen.",
  "next.why.builds_on": "Jetzt, weil es auf {titles} aufbaut. Das hast du schon gelernt.",
  "next.why.follows": "Jetzt, weil es auf {titles} folgt.",
  "next.why.in_order": "Das kommt auf diesem Lernpfad als Nächstes.",
  "next.why.again": "Das hast du durchgenommen. Mit zwei richtigen Antworten ohne Hilfe ist es gelernt.",
  "next.title": "„{title}“",
  "next.opens": "Danach geht es weiter mit: {titles}.",
  "next.done": "Du hast diesen ganzen Lernpfad gelernt",
  "next.done_text": "Hier gibt es nichts Neues mehr zu lernen.",
  "next.loading": "Der nächste Schritt wird gesucht …",
  "next.run": "Von {n} Agent in {time} aufgebaut.|Von {n} Agenten in {time} aufgebaut.",
  "next.show_run": "Zeig wie",
};
