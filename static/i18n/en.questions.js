// @ts-check
/** Every sentence about question files in English; the form is that of `en.js`. */
export default {
  "qf.open": "Add questions from a file",
  "qf.anki": "Anki deck of this concept",
  "qf.title": "Add questions to “{title}”",
  "qf.says": "From Anki (a deck or its notes in plain text), from Moodle (GIFT or XML) or from any program that writes QTI. They come up in your reviews, once you have learned what they are about.",
  "qf.choose": "Choose files",
  "qf.again": "Choose more files",
  "qf.reading": "Reading",
  "qf.added": "{n} question added.|{n} questions added.",
  "qf.none": "No question added.",
  "qf.there": "{n} was there already.|{n} were there already.",
  "qf.left": "{n} was left out:|{n} were left out:",
  "qf.more": "… and {n} more.",
  "qf.close": "Close",
};
