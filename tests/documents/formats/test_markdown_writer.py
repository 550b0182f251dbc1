"""Markdown blocks within blocks."""

from markdown_it import MarkdownIt

from sprout.documents.formats.markdown_writer import MarkdownWriter
from sprout.documents.formats.spans import Span, SpanKind
from sprout.documents.limits import ReadingLimits

READER = MarkdownIt("commonmark").enable("table")


def writer() -> MarkdownWriter:
    return MarkdownWriter(ReadingLimits())


def text(*words: str) -> list[Span]:
    return [Span(word) for word in words]


def test_an_item_holds_paragraphs_code_and_items() -> None:
    out = writer()
    out.write_spans(text("Do this:"))
    out.begin_item("1.")
    out.write_spans(text("Run"))
    out.write_code("a = 1\n\nb = 2", language="python")
    out.write_spans(text("and wait."))
    out.begin_item("-", first=False)
    out.write_spans(text("within"))
    out.end_items(0)
    out.begin_item("2.", first=False)
    out.write_spans(text("Stop"))
    out.end_items(0)
    found = out.finish().text
    assert found == (
        "Do this:\n\n1. Run\n\n   ```python\n   a = 1\n\n   b = 2\n   ```\n\n   and wait.\n   - within\n2. Stop"
    )
    assert READER.render(found).count("<ol>") == 1
    assert '<pre><code class="language-python">a = 1\n\nb = 2\n</code></pre>' in READER.render(found)


def test_a_quote_holds_blocks_and_a_heading_within_begins_no_section() -> None:
    out = writer()
    with out.quote():
        out.write_heading(2, "Note")
        out.write_spans(text("One."))
        out.write_table([["a", "b"], ["1", "2"]])
    with out.quote():
        out.write_spans(text("Another."))
    assert out.finish().text == "> **Note**\n>\n> One.\n>\n> | a | b |\n> | --- | --- |\n> | 1 | 2 |\n\n> Another."


def test_definitions_and_notes() -> None:
    out = writer()
    out.write_term(text("Heat"))
    with out.definition():
        out.write_spans([*text("Energy that moves"), Span("1", SpanKind.NOTE)])
        out.write_spans(text("in a body."))
    with out.definition():
        out.write_spans(text("Warmth."))
    with out.note("1"):
        out.write_spans(text("Or is moved."))
        out.write_spans(text("Always."))
    assert out.finish().text == (
        "Heat\n: Energy that moves[^1]\n\n  in a body.\n: Warmth.\n\n[^1]: Or is moved.\n\n    Always."
    )


def test_a_formula_that_is_a_paragraph_is_displayed_and_others_stand_in_theirs() -> None:
    out = writer()
    out.write_spans([Span("x^2", SpanKind.FORMULA)])
    out.write_spans(
        [Span("so "), Span("y", SpanKind.FORMULA), Span(" and"), Span("z", SpanKind.DISPLAY_FORMULA), Span("end")]
    )
    assert out.finish().text == "$$x^2$$\n\nso $y$ and\n\n$$z$$\n\nend"


def test_a_caption_keeps_its_number_and_another_is_the_description_of_a_picture() -> None:
    out = writer()
    for caption in ("Figure 3: The cycle", "Abb. 2.1 Der Kreislauf", "Рис. 4. Круговорот", "The cycle", "图 2 水循环"):
        out.write_caption(text(caption))
    out.write_caption([Span("With "), Span("x", SpanKind.FORMULA)])
    assert out.finish().text.split("\n\n") == [
        "Figure 3: The cycle",
        "Abb. 2.1 Der Kreislauf",
        "Рис. 4. Круговорот",
        "![The cycle]()",
        "图 2 水循环",
        "With $x$",
    ]


def test_a_title_over_a_table_stands_before_it_and_no_cell_is_lost() -> None:
    out = writer()
    out.write_table([["Title", ""], ["a", "b"], ["1|2", "3", "4"]])
    assert out.finish().text == "| Title |  |  |\n| --- | --- | --- |\n| a | b |\n| 1\\|2 | 3 | 4 |"
    out = writer()
    out.write_table([["- Title", "", ""], ["a", "b", "c"], ["1", "2", "3"]])
    assert out.finish().text == "\\- Title\n\n| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"
    out = writer()
    out.write_table([["a", "1"], ["b", "2"]], header=False)
    assert out.finish().text == "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |"


def test_containers_without_end_cost_a_bounded_prefix() -> None:
    out = writer()
    for _ in range(200):
        out.begin_item()
    out.write_spans(text("deep"))
    assert len(out.finish().text) < 40
