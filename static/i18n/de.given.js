// @ts-check
/** Jeder Satz zu Lernpfaden von Lehrkräften auf Deutsch. */
export default {
  "gv.from": "Von {teacher}, {className}",
  "gv.today": "bis heute",
  "gv.tomorrow": "bis morgen",
  "gv.by": "bis {day}",
  "gv.was": "war fällig: {day}",
  "gv.update": "Neues von {teacher}",
  "gv.title": "{teacher} hat diesen Lernpfad geändert",
  "gv.added": "Neu",
  "gv.part_of": "in {concept}",
  "gv.described": "Neu beschrieben",
  "gv.before": "Vorher: {words}",
  "gv.keeps": "Von dem, was du hast, geht nichts verloren.",
  "gv.accept": "Übernehmen",
  "gv.accepting": "Wird übernommen …",
  "gv.later": "Später",
  "gv.show": "Ansehen",
  "gv.accepted": "Dein Lernpfad hat es jetzt.",
};
