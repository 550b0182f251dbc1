// Sentences in a module's code: the words of its `html` templates and its strings that read as prose.

const SPOKEN =
  /\s(?:aria-label|aria-description|aria-valuetext|aria-roledescription|title|placeholder|alt|label)="([^"]*)"/g;
const WORD = /\p{L}{2,}/u;
const PROSE = /^\p{Lu}\p{Ll}+,? \p{Ll}+/u;
const HOLE = "\u0000";

/** Every string and template of the code, comments left out; the holes of a template are "\0". @returns {{ text: string, tag: string }[]} */
export function stringsIn(code) {
  const found = [];
  let at = 0;
  const script = (end) => {
    for (let before = ""; at < code.length; at++) {
      const [char, next] = [code[at], code[at + 1]];
      if (char === "/" && next === "/") at = end_of("\n");
      else if (char === "/" && next === "*") at = end_of("*/") + 1;
      else if (char === "/" && /[(,=:[!&|?{};>]$/.test(before.trimEnd())) pattern();
      else if (char === '"' || char === "'") quoted(char);
      else if (char === "`") template(/(\w*)$/.exec(before)[1]);
      else if (char === "{") {
        at++;
        script("}");
      } else if (char === end) return;
      before = (before + code[at]).slice(-40);
    }
  };
  const end_of = (mark) => {
    const end = code.indexOf(mark, at);
    return end < 0 ? code.length : end;
  };
  const pattern = () => {
    for (let inSet = false; code[++at] !== "/" || inSet;) {
      if (code[at] === "\\") at++;
      else if (code[at] === "[") inSet = true;
      else if (code[at] === "]") inSet = false;
    }
  };
  const quoted = (mark) => {
    const begin = ++at;
    while (code[at] !== mark) at += code[at] === "\\" ? 2 : 1;
    found.push({ text: code.slice(begin, at), tag: "" });
  };
  const template = (tag) => {
    let text = "";
    for (at++; code[at] !== "`"; at++) {
      if (code[at] === "\\") text += code[++at];
      else if (code[at] === "$" && code[at + 1] === "{") {
        at += 2;
        script("}");
        text += HOLE;
      } else text += code[at];
    }
    found.push({ text, tag });
  };
  script("");
  return found;
}

/** What a person would read or hear, in the order in which it ends. @param {string} code @returns {string[]} */
export function said(code) {
  return stringsIn(code).flatMap(({ text, tag }) => {
    if (tag !== "html") return PROSE.test(text) ? [text] : [];
    const heard = [...text.matchAll(SPOKEN)].map(([, words]) => words);
    const seen = text
      .replace(/<!--[^]*?-->/g, "")
      .replace(/<[^>]*>/g, HOLE)
      .split(HOLE);
    return [...heard, ...seen].map((words) => words.trim()).filter((words) => WORD.test(words.replace(/&\w+;/g, "")));
  });
}
