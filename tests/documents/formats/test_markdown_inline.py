"""Inline content as Markdown that reads back."""

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sprout.documents.formats.markdown_inline import (
    cell_markdown,
    code_span,
    heading_markdown,
    inline_markdown,
    plain_title,
)
from sprout.documents.formats.spans import LINE_BREAK, Span, SpanKind

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = st.text('ab *_`$<>[](){}!&;:#+-=~|\\.,1é「」日"/^', max_size=12)
TEXTS = st.builds(Span, WORDS, strong=st.booleans(), emphasis=st.booleans())
CODE = st.builds(Span, st.text("ab`*\\ $", max_size=6), st.just(SpanKind.CODE))
LINES = st.lists(TEXTS | CODE | st.just(LINE_BREAK), max_size=6)


def read_back(markdown: str) -> str:
    """The characters that a reader of Markdown shows."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", READER.render(markdown)))).strip()


def shown(spans: list[Span]) -> str:
    return " ".join("".join(span.text for span in spans).split())


@given(LINES)
@settings(max_examples=400)
@example([Span("a"), Span("(b)", strong=True), Span("c")])
@example([Span("「強調」", strong=True), Span("は")])
@example([Span("1"), Span(" *", emphasis=True), Span(" 1", emphasis=True)])
@example([Span("x_"), Span("y", emphasis=True), Span("\\"), Span("z", strong=True)])
def test_a_paragraph_reads_back_as_it_was(spans: list[Span]) -> None:
    markdown = inline_markdown(spans)
    rendered = READER.render(markdown)
    assert read_back(markdown) == shown(spans)
    assert not re.search(r"<(?:h\d|ul|ol|blockquote|pre|hr|table|a|img|s)\b", rendered)


@given(LINES)
@settings(max_examples=300)
def test_a_heading_and_a_cell_read_back_as_they_were(spans: list[Span]) -> None:
    if shown(spans):
        assert read_back(f"# {heading_markdown(spans)}") == shown(spans)
        cell = cell_markdown(spans).replace("|", "\\|")
        assert read_back(f"| {cell} |\n| --- |\n") == shown(spans)


@pytest.mark.parametrize(
    ("spans", "markdown"),
    [
        ([Span("Heat "), Span("rises ", strong=True), Span("fast.", emphasis=True)], "Heat **rises** *fast.*"),
        ([Span("All ", strong=True), Span("of it", strong=True, emphasis=True)], "**All *of it***"),
        ([Span("un"), Span("believ", emphasis=True), Span("able")], "un*believ*able"),
        ([Span("so("), Span("call)", strong=True), Span("ed")], "so(**call**)ed"),
        ([Span("H"), Span("2", SpanKind.SUBSCRIPT), Span("O")], "H₂O"),
        ([Span("10"), Span("-6", SpanKind.SUPERSCRIPT)], "10⁻⁶"),
        ([Span("the 1"), Span("st", SpanKind.SUPERSCRIPT)], "the 1st"),
        ([Span("x"), Span("Ψ+1", SpanKind.SUPERSCRIPT)], "x$^{\\Psi +1}$"),
        ([Span("x"), Span("Max wert", SpanKind.SUBSCRIPT)], "x$_{\\text{Max wert}}$"),
        ([Span("snake_case and 5 * 3, 2*3")], "snake_case and 5 * 3, 2\\*3"),
        ([Span("$5, a < b, <b>, &amp; R&D")], "\\$5, a < b, \\<b>, \\&amp; R&D"),
        ([Span("see [1] and [x](y)")], "see [1] and [x\\](y)"),
        (
            [Span("1. first"), LINE_BREAK, Span("- second"), LINE_BREAK, Span("# third")],
            "1\\. first\n\\- second\n\\# third",
        ),
        ([Span("Water"), Span("1", SpanKind.NOTE)], "Water[^1]"),
        ([Span("run "), Span("a`b", SpanKind.CODE)], "run ``a`b``"),
    ],
)
def test_markup_is_written_where_it_means_something(spans: list[Span], markdown: str) -> None:
    assert inline_markdown(spans) == markdown


def test_a_heading_that_is_marked_as_a_whole_has_no_marks() -> None:
    assert heading_markdown([Span("Heat ", strong=True), Span("flow", strong=True, emphasis=True)]) == "Heat *flow*"
    assert heading_markdown([Span("C #", strong=True)]) == "C \\#"


def test_code_has_as_many_backticks_as_it_needs() -> None:
    assert [code_span(code) for code in ("a", "`a", "a``b`c")] == ["`a`", "`` `a ``", "```a``b`c```"]


def test_a_title_is_read_without_its_marks() -> None:
    assert plain_title("**Heat** in *C\\#*, `int` and a\\*b") == "Heat in C#, int and a*b"


def test_long_runs_of_marks_and_many_spans_are_written_whole() -> None:
    for run in ("*_" * 50_000, "`" * 100_000, "\\" * 100_000, "[" * 100_000, "&" * 100_000):
        assert read_back(inline_markdown([Span(run)])[:200]).startswith(run[:50])
    many = [Span("a", strong=True)] * 100_000
    assert inline_markdown(many) == f"**{'a' * 100_000}**"
