// @ts-check
/** Words of the next step. */
export default {
  "next.label": "Next",
  "next.start": "Start, about {n} min",
  "next.continue": "Continue, about {n} min",
  "next.of": "{concept}, {done} of {n} part learned|{concept}, {done} of {n} parts learned",
  "next.why.started": "You left this lesson. It goes on where you were.",
  "next.why.first": "The path begins here: nothing has to come before it.",
  "next.why.builds_on": "Now, because it builds on {titles}, which you have learned.",
  "next.why.follows": "Now, because it comes after {titles}.",
  "next.why.in_order": "It comes next on this path.",
  "next.why.again": "You have been through this. Two right answers without help, and it is learned.",
  "next.title": "“{title}”",
  "next.opens": "It leads to {titles}.",
  "next.done": "You have learned all of this path",
  "next.done_text": "Nothing new is left to learn here.",
  "next.loading": "Looking for the next step…",
  "next.run": "Grown by {n} agent in {time}.|Grown by {n} agents in {time}.",
  "next.show_run": "Show how",
};
