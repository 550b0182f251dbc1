// Pieces of a document are drawn as marked, whatever Markdown they run through; other markup of a document is left out.
import "../vendored.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const { DocumentText, Markdown } = await import("../../../../static/views/rich/markdown.js");

/** The texts of a tree, those within a mark in brackets. */
function told(node, marked = false) {
  if (Array.isArray(node)) return node.map((each) => told(each, marked)).join("");
  if (node === null || node === undefined || node === false || node === true) return "";
  if (typeof node !== "object") return marked ? `[${node}]` : String(node);
  if (typeof node.type === "function") return told(node.props.text ?? node.props.raw, marked);
  return told(node.props.children, marked || node.type === "mark");
}
const drawn = (text, ...tinted) => told(DocumentText({ text, tinted }));

test("a piece is marked through emphasis, code and formulas, and the text after it is not", () => {
  assert.equal(
    drawn("One. **Two** is `2` or $x$. Three.", "**Two** is `2` or $x$."),
    "One. [Two][ is ][2][ or ][$x$][.] Three.",
  );
  assert.equal(drawn("So $a$ and $b$ end. More.", "So $a$ and $b"), "[So ][$a$][ and ][$b$] end. More.");
});

test("a piece runs over items and cells", () => {
  assert.equal(drawn("1. Warm it\n2. Add it\n3. Eat", "Warm it\n2. Add it"), "[Warm it][Add it]Eat");
  assert.equal(drawn("| a | b |\n|---|---|\n| c | d |", "c | d"), "ab[c][d]");
});

test("a piece that does not stand there marks nothing, and signs of the text itself neither", () => {
  assert.equal(drawn("One \u2e28two\u2e29 three.", "four"), "One two three.");
});

test("of HTML and attributes in a document only the words are shown, of other texts the source", () => {
  assert.equal(drawn('<a name="x"></a>\n\n**Term**{: data-type="term"} is <b>it</b>.'), "Term is it.");
  assert.equal(told(Markdown({ text: "Write <b>it</b>{: .x}." })), "Write <b>it</b>{: .x}.");
  assert.equal(drawn("```\nf'{:.2f}'\n```"), "f'{:.2f}'");
});

test("formulas in the brackets of kramdown are formulas", () => {
  assert.equal(drawn("So \\\\(x\\\\) is it."), "So \\(x\\) is it.");
});
