// @ts-check
/** Every sentence of paths that teachers have given in English; the form is that of `en.js`. */
export default {
  "gv.from": "From {teacher}, {className}",
  "gv.today": "by today",
  "gv.tomorrow": "by tomorrow",
  "gv.by": "by {day}",
  "gv.was": "was due {day}",
  "gv.update": "New from {teacher}",
  "gv.title": "{teacher} has changed this path",
  "gv.added": "Added",
  "gv.part_of": "in {concept}",
  "gv.described": "Described anew",
  "gv.before": "Before: {words}",
  "gv.keeps": "Nothing that you have is taken away.",
  "gv.accept": "Accept",
  "gv.accepting": "Being added…",
  "gv.later": "Later",
  "gv.show": "Show",
  "gv.accepted": "Your path has it now.",
};
