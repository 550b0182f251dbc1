// @ts-check
/** Every sentence about mix-ups in German. */
/** @type {typeof import("./en.mixups.js").default} */
export default {
  "mx.title": "Denkfehler",
  "mx.page": "Denkfehler · Sprout",
  "mx.lead": "Hinter einer falschen Antwort steht oft ein Gedanke, der einleuchtet, bis man ihn prüft. Das sind die hinter deinen.",
  "mx.loading": "Deine Antworten werden durchgesehen",
  "mx.back": "Zurück zum Fortschritt",
  "mx.empty_title": "Noch kein Denkfehler aufgefallen",
  "mx.empty": "Zeigt eine Antwort von dir einen Gedanken, der in die Irre führt, steht er hier: mit einem Fall, an dem du ihn prüfen kannst, und mit dem, was ihn ausgeräumt hat.",
  "mx.empty_go": "Zu deinen Lernpfaden",

  "mx.open": "Noch offen",
  "mx.treated": "Einmal richtiggestellt",
  "mx.treated_says": "Ausgeräumt, sobald eine weitere Frage dazu einen Tag später gelingt.",
  "mx.cleared": "Ausgeräumt",
  "mx.says": "„{statement}“",
  "mx.led_to": "So kamst du auf {said}",
  "mx.led": "Er zeigte sich in deiner Antwort",
  "mx.more": "{n} frühere Antwort|{n} frühere Antworten",
  "mx.sure": "Du warst dir sicher",
  "mx.back_again": "Kam wieder, nachdem er ausgeräumt war|Kam {n}-mal wieder, nachdem er ausgeräumt war",
  "mx.test": "Mach die Probe",
  "mx.clears_now": "Deine nächste richtige Antwort dazu, ohne Hilfe, räumt ihn aus.",
  "mx.clears_from": "Ab {when} räumt ihn eine richtige Antwort ohne Hilfe aus.",
  "mx.cleared_by": "Ausgeräumt durch {said}",
  "mx.cleared_so": "Ausgeräumt durch deine Antwort",
  "mx.learn": "Durchgehen",
  "mx.learn_about": "Durchgehen: {title}",
  "mx.look": "Noch einmal ansehen",
  "mx.look_about": "Noch einmal ansehen: {title}",
  "mx.of": "{title}, {path}",

  "mx.here": "Hinter einer deiner Antworten hier stand der Gedanke „{statement}“",
  "mx.here_more": "Hier ist {n} Denkfehler offen|Hier sind {n} Denkfehler offen",
  "mx.see": "Zu deinen Denkfehlern",
};
