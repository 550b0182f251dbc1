// @ts-check
/** Jeder Satz über Dateien mit Fragen auf Deutsch. */
export default {
  "qf.open": "Fragen aus einer Datei",
  "qf.anki": "Anki-Stapel dieses Konzepts",
  "qf.title": "Fragen zu „{title}“ hinzufügen",
  "qf.says": "Aus Anki (ein Stapel oder seine Notizen als Text), aus Moodle (GIFT oder XML) oder aus jedem Programm, das QTI schreibt. Sie kommen beim Wiederholen dran, sobald du gelernt hast, worum es in ihnen geht.",
  "qf.choose": "Dateien wählen",
  "qf.again": "Weitere Dateien wählen",
  "qf.reading": "Wird gelesen",
  "qf.added": "{n} Frage hinzugefügt.|{n} Fragen hinzugefügt.",
  "qf.none": "Keine Frage hinzugefügt.",
  "qf.there": "{n} war schon da.|{n} waren schon da.",
  "qf.left": "{n} wurde weggelassen:|{n} wurden weggelassen:",
  "qf.more": "… und {n} weitere.",
  "qf.close": "Schließen",
};
