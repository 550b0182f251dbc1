// @ts-check
/** Every sentence of the courses and of an unknown topic in German; the form is that of `en.js`. */

/** @type {typeof import("./en.ways.js").default} */
export default {
  "ways.offline": "Es ist kein Schlüssel für ein Modell hinterlegt, deshalb nutzt Sprout sein eingebautes Offline-Modell. Aus deinen Unterlagen baut es echte Lernpfade; für jedes andere Thema hinterlege einen Schlüssel und starte Sprout neu.",
  "ways.first": "Oder fang mit einem davon an",
  "ways.title": "Über „{topic}“ weiß das eingebaute Modell nichts",
  "ways.text": "Deshalb gibt es noch keinen Lernpfad. Was du geschrieben hast, bleibt im Feld stehen; so geht es weiter.",
  "ways.notes": "Unterlagen hinzufügen",
  "ways.notes_text": "Ein Skript, Folien, ein Kapitel. Der Lernpfad entsteht daraus.",
  "ways.notes_go": "Dateien wählen",
  "ways.model": "Ein Modell verbinden",
  "ways.model_text": "Claude oder eins auf deinem eigenen Rechner. Es kann jedes Thema unterrichten.",
  "ways.model_go": "So geht’s",
  "ways.courses": "Einen Kurs wählen",
  "ways.near": "Nah an deinen Worten",
  "ways.at_home": "Unterlagen hinzufügen oder einen Kurs wählen",
  "ways.all": "Alle {n} Kurse zeigen",
  "ways.grow": "Wachsen lassen",
  "ways.concepts": "{n} Konzept. {desc}|{n} Konzepte. {desc}",
};
