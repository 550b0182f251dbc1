// Where a text holds mathematics, and where a dollar is money.
import "../vendored.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const { Marked } = await import("marked");
const { mathematics } = await import("../../../../static/views/rich/tex.js");
const marked = new Marked(mathematics);

/** The formulas of a text in order: displayed ones in double brackets, those still being written with dots. */
function formulas(text) {
  const found = [];
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === "math" || token.type === "mathBlock")
      found.push(token.display ? `[[${token.tex}]]${token.closed ? "" : "…"}` : `[${token.tex}]`);
  });
  return found;
}

test("dollars and backslashes with brackets hold formulas, in a line and by themselves", () => {
  assert.deepEqual(formulas("so $a+b$ and \\(c_1\\)."), ["[a+b]", "[c_1]"]);
  assert.deepEqual(formulas("so $$a$$ and \\[b\\] in a line"), ["[[a]]", "[[b]]"]);
  assert.deepEqual(formulas("Let\n$$\na\n= b\n$$\nbe"), ["[[a\n= b]]"]);
  assert.deepEqual(formulas("Let\n\\[\n- a\n\\]\nbe"), ["[[- a]]"]);
  assert.deepEqual(formulas("- $a$\n- **$b$**\n\n| $c$ |\n|---|\n| $d$ |"), ["[a]", "[b]", "[c]", "[d]"]);
  assert.deepEqual(formulas("$a_1 * b_1 * c$ and $x \\$ y$"), ["[a_1 * b_1 * c]", "[x \\$ y]"]);
});

test("prices, shell variables and dollars that were escaped are no formulas", () => {
  const none = [
    "$5 and $10",
    "from $5-$10",
    "$5/$6",
    "US$5 and US$6",
    "5$ und 10$",
    "5 $ und 10 $",
    "5$/h oder 10$/h",
    "**$5** and **$10**",
    "($5) or ($6)",
    "$HOME and $PATH",
    "\\$a$",
    "$ a $",
    "$$ $$",
    "\\\\(a\\\\)",
    "a $5 ticket",
  ];
  for (const text of none) assert.deepEqual(formulas(text), [], text);
  assert.deepEqual(formulas("It costs $5 for $n$ people"), ["[n]"]);
});

test("code holds no formulas", () => {
  for (const text of ["`$a$`", "```\n$a$\n$$b$$\n```", "    $a$", "``\\(a\\)``"])
    assert.deepEqual(formulas(text), [], text);
});

test("a block that is still being written is one from its first line on, until an empty one", () => {
  const whole = "So\n\n$$\na_1 *b*\n+ c\n$$\n\nand on";
  for (let end = whole.indexOf("a_1") + 1; end < whole.indexOf("$$\n\nand"); end++)
    assert.match(formulas(whole.slice(0, end)).join(), /^\[\[[^]*\]\]…$/, whole.slice(0, end));
  assert.deepEqual(formulas(whole), ["[[a_1 *b*\n+ c]]"]);
  assert.deepEqual(formulas("$$\na\n\nb"), []);
});

test("every letter of a text is in one of its tokens, whatever is cut off", () => {
  const text = "Costs $5, $a$ $$b$$ \\(c\\) \\[d\n\n$$e\n$$ f $$\n\\[\ng";
  for (let end = 0; end <= text.length; end++)
    assert.equal(
      marked
        .lexer(text.slice(0, end))
        .map((token) => token.raw)
        .join(""),
      text.slice(0, end),
    );
});

test("a formula longer than anyone reads is no formula, and long texts are read in time that grows with them", () => {
  assert.deepEqual(formulas(`$${"a".repeat(5000)}$`), []);
  for (const piece of ["$a ", "\\(a ", "$$a ", "\\[ ", "*a* b ", "a$", "$ $a"])
    assert.ok(marked.lexer(piece.repeat(3000)).length > 0);
});
