// @ts-check
/** Every sentence of the courses and of an unknown topic in English; the form is that of `en.js`. */
export default {
  "ways.offline": "No model key is set, so Sprout uses its built-in offline model. It builds real paths from your notes; for any other topic, set a model key and restart Sprout.",
  "ways.first": "Or start from one of these",
  "ways.title": "The built-in model knows nothing about “{topic}”",
  "ways.text": "So there is no path yet. Your words stay in the field; here is how to go on.",
  "ways.notes": "Add notes",
  "ways.notes_text": "A script, slides, a chapter. The path is made from them.",
  "ways.notes_go": "Choose files",
  "ways.model": "Connect a model",
  "ways.model_text": "Claude, or one on your own computer. It can teach any topic.",
  "ways.model_go": "How to connect",
  "ways.courses": "Choose a course",
  "ways.near": "Close to your words",
  "ways.at_home": "Add notes, or choose a course",
  "ways.all": "Show all {n} courses",
  "ways.grow": "Grow",
  "ways.concepts": "{n} concept. {desc}|{n} concepts. {desc}",
};
