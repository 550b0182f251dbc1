// Markdown becomes nodes, never markup; what is no Markdown of ours stays the text that it is.
import "../vendored.mjs";
import assert from "node:assert/strict";
import test from "node:test";

const { Markdown } = await import("../../../../static/views/rich/markdown.js");

/** Elements as brackets around what they hold, texts in quotes: so that text which looks like an element differs from one. */
function told(node) {
  if (Array.isArray(node)) return node.map(told).join("");
  if (node === null || node === undefined || node === false || node === "") return "";
  if (typeof node !== "object") return JSON.stringify(String(node));
  const { children, ...props } = node.props;
  const given = Object.entries(props)
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");
  const name = typeof node.type === "function" ? node.type.name : node.type;
  return `(${name}${given} ${told(children)})`;
}
const read = (text) => told(Markdown({ text }));
const types = (text) =>
  new Set(
    read(text)
      .match(/\((\w+)/g)
      ?.map((each) => each.slice(1)),
  );

test("paragraphs, emphasis, lists, code and tables become their elements", () => {
  assert.equal(read("One **two** _three_ `4 < 5`."), '(p "One "(strong "two")" "(em "three")" "(code "4 < 5")".")');
  assert.equal(read("- a\n- b"), '(ul (li "a")(li "b"))');
  assert.equal(read("3. a\n4. b"), '(ol start=3 (li "a")(li "b"))');
  assert.equal(read("```python\nif a:\n    b\n```"), "(CodeBlock text=if a:\n    b lang=python )");
  assert.equal(read("> said"), '(blockquote (p "said"))');
  assert.deepEqual([...types("| a | b |\n|---|---|\n| 1 | 2 |")], ["div", "table", "thead", "tr", "th", "tbody", "td"]);
});

test("terms and their meanings become a definition list, also in the middle of a text", () => {
  assert.equal(
    read("Say:\nCell\n: Small.\nWall\n\n: Hard.\n: And *thick*.\n\n  Always.\n\nEnd"),
    '(p "Say:")(dl (dt "Cell")(dd (p "Small."))(dt "Wall")(dd (p "Hard."))(dd (p "And "(em "thick")".")(p "Always.")))(p "End")',
  );
  assert.equal(read("- a\n\n: b"), '(ul (li "a"))(p ": b")'); // an item is no term
  assert.equal(read("a : b"), '(p "a : b")');
});

test("footnotes stand at the end of the text, with a link back to what refers to them", () => {
  assert.equal(
    read("Old[^1] is [^b].\n\n[^1]: A **year**.\n\n    Or two.\n[^b]: Good.\n\nEnd"),
    '(div class=with-notes (p "Old"(NoteReference label=1 )" is "(NoteReference label=b )".")(p "End")(ol class=footnotes aria-label=Footnotes ' +
      '(li data-note=1 tabindex=-1 (span class=note-label aria-hidden=true "1")(div (p "A "(strong "year")".")(p "Or two.")(BackLink label=1 )))' +
      '(li data-note=b tabindex=-1 (span class=note-label aria-hidden=true "b")(div (p "Good.")(BackLink label=b )))))',
  );
  assert.equal(read("Old[^1] and [^2], `[^3]`"), '(p "Old"(sup "1")" and ""[^2]"", "(code "[^3]"))'); // no text of them here
  assert.match(read("[^1]: Alone."), /"Alone\."\)\)/); // nothing refers to it
});

test("a table whose head is empty has none, and a cell that heads nothing is no head", () => {
  assert.equal(read("|  |  |\n|---|---|\n| a | b |"), '(div class=table (table (tbody (tr (td "a")(td "b")))))');
  assert.match(read("|| b |\n|---|---|\n| 1 | 2 |"), /\(tr \(td \)\(th "b"\)\)/);
});

test("signs that mean something in HTML are the signs that they are", () => {
  assert.equal(read('a < b & c > d "e"'), '(p "a < b & c > d \\"e\\"")');
  assert.equal(read("`<b>`"), '(p (code "<b>"))');
  assert.equal(read("AT&amp;T"), '(p "AT&amp;T")');
});

test("HTML is shown as it was written, in a line, in a block and in a cell", () => {
  for (const markup of [
    "<script>run()</script>",
    '<img src=x onerror="run()">',
    "<svg onload=run()></svg>",
    "<iframe srcdoc='<b>'></iframe>",
    "<!-- x -->",
  ]) {
    for (const text of [
      markup,
      `Before ${markup} after`,
      `- ${markup}`,
      `> ${markup}`,
      `**${markup}**`,
      `| ${markup} |\n|---|\n| ${markup} |`,
    ]) {
      const kinds = types(text);
      for (const kind of ["script", "img", "svg", "iframe"]) assert.ok(!kinds.has(kind), text);
      assert.ok(read(text).includes(JSON.stringify(markup).slice(1, -1).slice(0, 6)), text);
    }
  }
});

test("only addresses that a browser may open become links, and they tell nobody where one came from", () => {
  assert.equal(
    read("[a](https://example.org/x)"),
    '(p (a href=https://example.org/x rel=noopener noreferrer target=_blank "a"))',
  );
  assert.ok(types("[a](/paths/1)").has("a"));
  const hostile = [
    "javascript:run()",
    "JaVaScRiPt:run()",
    "java\tscript:run()",
    "&#106;avascript:run()",
    "javascript&colon;run()",
    "data:text/html,x",
    "vbscript:x",
    "//evil.example",
    "file:///etc/passwd",
    "blob:x",
    " javascript:x",
  ];
  for (const address of hostile) {
    for (const text of [`[a](${address})`, `[a](<${address}>)`, `<${address}>`, `[a][r]\n\n[r]: ${address}`])
      assert.ok(!types(text).has("a"), text);
  }
});

test("a picture is its words, whatever its address", () => {
  assert.equal(read("![a tree](https://evil.example/x.png)"), '(p "a tree")');
});

test("no word is lost, however deep it is nested and however much of it is not closed yet", () => {
  for (const text of [
    `${"> ".repeat(30)}word`,
    `${">".repeat(9000)} word`,
    `${"- ".repeat(40)}word`,
    `${"**".repeat(50)}word`,
    "```\nword",
    "| a |\n|--",
    "**word",
    "[word](http",
  ]) {
    assert.ok(read(text).includes(text.includes("word") ? "word" : "a"), text.slice(0, 40));
  }
});
