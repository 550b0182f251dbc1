// @ts-check
/** Words of reading aloud and of dictation, in English. */
export default {
  "aloud.read": "Read aloud",
  "aloud.stop": "Stop reading",

  "dictate.start": "Dictate",
  "dictate.stop": "Stop dictating",
  "dictate.heard": "Listening. The button or Escape stops it; nothing is sent until you answer. Some browsers send what you say to their maker to turn it into text.",
  "dictate.denied": "The microphone isn’t allowed here. Allow it in your browser’s settings for this page, or type.",
  "dictate.no_microphone": "No microphone was found. Connect one, or type.",
  "dictate.nothing": "Nothing was heard. Try again, or type.",
  "dictate.failed": "Your browser couldn’t turn speech into text just now. Try again, or type.",
};
