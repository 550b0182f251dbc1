"""Stored texts as trees."""

from hypothesis import example, given
from hypothesis import strategies as st

from sprout.learning.structure.markdown import MAX_LINES, read_structure
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.tree import (
    Block,
    Box,
    Code,
    Definition,
    Figure,
    Footnote,
    ListBlock,
    Paragraph,
    Section,
    Span,
    SpanKind,
    Table,
    children_of,
    iter_sections,
)

LINES = st.one_of(
    st.sampled_from(
        [
            *["", "", "# Top", "## Below #", "Title\n=====", "**Bold**", "2.1 Cells", "```python", "```", "$$", "---"],
            *["- item", "  - deep", "1. one", "a) first", "b) second", "• dot", "> said", "| a | b |", "|---|---|"],
            *[": meaning", "[^1]: note", "![alt](x.png)", "Figure 1. A cell", "<!-- hidden", "-->", "    indented();"],
            *["\\[", "\\]", "::: box", "CHAPTER I", "{: .class}", "[link](#x)", "$x$ and *y*", "\t\tdeep"],
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
TEXTS = st.lists(LINES, max_size=25).map("\n".join)


def blocks_of(text: str) -> tuple[Block, ...]:
    return read_structure(text).blocks


def outline(section: Section) -> list[tuple[int, str]]:
    return [(each.level, each.title) for each in iter_sections(section)][1:]


@given(TEXTS)
@example("2.1 Cells\n![alt](x.png)\n**Bold**\n**Bold**\n**Bold**")
def test_every_block_lies_within_the_text_and_within_what_holds_it(text: str) -> None:
    def check(block: Block) -> None:
        assert 0 <= block.start <= block.end <= len(text)
        for inner in children_of(block):
            assert block.start <= inner.start <= inner.end <= block.end
            check(inner)

    for section in iter_sections(read_structure(text)):
        check(section)
        starts = [each.start for each in (*section.blocks, *section.subsections)]
        assert starts == sorted(starts)


@given(TEXTS)
def test_any_text_can_be_read_aloud(text: str) -> None:
    assert isinstance(text_of(read_structure(text)), str)


def test_sections_nest_by_level_and_know_where_they_stand() -> None:
    text = "# Water\n\nWet.\n\n## Rising\n\nIt rises.\n\n## Falling\n\nIt falls.\n\n# Air\n\nThin.\n"
    root = read_structure(text, page_starts=(0, text.index("## Falling")))
    assert outline(root) == [(1, "Water"), (2, "Rising"), (2, "Falling"), (1, "Air")]
    water = root.subsections[0]
    assert text[water.start : water.end] == text[: text.index("\n\n# Air")]
    assert [each.page for each in iter_sections(root)] == [None, 1, 1, 2, 2]


def test_front_matter_gives_the_title_and_is_no_text() -> None:
    root = read_structure('---\ntitle: "Cells"\nlayout: page\n---\n\nSmall.')
    assert (root.title, [text_of(block) for block in root.blocks]) == ("Cells", ["Small."])


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert text_of(read_structure("---\nThe letter began here, without a greeting.\n---\nIt went on.")).count("letter")


def test_spans_say_what_is_marked() -> None:
    (paragraph,) = blocks_of("A **cell** is *small*, `x` or $a_b$, see [more](u)[^1].")
    assert isinstance(paragraph, Paragraph)
    assert [(span.kind.value, span.text) for span in paragraph.spans] == [
        *[("plain", "A "), ("strong", "cell"), ("plain", " is "), ("emphasis", "small"), ("plain", ", ")],
        *[("code", "x"), ("plain", " or "), ("formula", "a_b"), ("plain", ", see "), ("link", "more")],
        *[("footnote", "1"), ("plain", ".")],
    ]
    assert paragraph.spans[9].target == "u"


def test_html_is_read_for_its_text() -> None:
    text = "<div>\nH<sub>2</sub>O, x<sup>2</sup> and <b>bold</b>\n</div>\n\n<!-- no\n\ntext -->\n\nSeen."
    assert [text_of(block) for block in blocks_of(text)] == ["H₂O, x² and bold", "Seen."]


def test_text_right_behind_a_figure_is_no_part_of_its_caption() -> None:
    figure = '<figure>\n<img src="a.png" alt="A mill">\n<figcaption>Old mill, CC BY</figcaption>\n</figure>'
    drawn, said = blocks_of(f"{figure}\nThe mill grinds grain.\nIt stands by the river.")
    assert isinstance(drawn, Figure)
    assert text_of_spans(drawn.caption) == "Old mill, CC BY"
    assert text_of(said) == "The mill grinds grain. It stands by the river."


def test_a_comment_without_an_end_stays_text() -> None:
    assert text_of(read_structure("<!-- a\n\nb")).endswith("b")


def test_a_list_keeps_its_lead_in_and_its_nested_items() -> None:
    text = "All cells have four parts:\n\n- a membrane\n  - thin\n- cytoplasm"
    (found,) = blocks_of(text)
    assert isinstance(found, ListBlock)
    assert found.lead_in is not None
    assert (text_of(found.lead_in), text[found.start : found.end]) == ("All cells have four parts:", text)
    assert [item.marker for item in found.items] == ["-", "-"]
    assert isinstance(found.items[0].blocks[0], ListBlock)  # "a membrane" leads its own list in
    assert text_of(found).split("\n") == ["All cells have four parts:", "a membrane", "thin", "cytoplasm"]


def test_a_paragraph_apart_from_a_list_is_no_lead_in() -> None:
    assert [type(block) for block in blocks_of("It rained.\n\n- one\n- two")] == [Paragraph, ListBlock]


def test_bullets_and_letters_of_plain_text_are_lists() -> None:
    bullets, letters = blocks_of("• one\n• two\n\nWhich?\na) red\nb) blue")
    assert isinstance(bullets, ListBlock)
    assert [text_of(item) for item in bullets.items] == ["one", "two"]
    assert isinstance(letters, ListBlock)
    assert [(item.marker, text_of(item)) for item in letters.items] == [("a)", "red"), ("b)", "blue")]


def test_an_initial_is_no_list_and_a_dash_may_open_dialogue() -> None:
    assert [type(block) for block in blocks_of("A. Lincoln was tall.\n\n– Bonjour, dit-il.\n\nIl partit.")] == [
        Paragraph
    ] * 3


def test_a_table_has_a_head_and_a_caption() -> None:
    (table,) = blocks_of("Table 1. Planets\n\n| Name | Moons | Days |\n|---|---|---|\n| Earth | 1 | 365 |\n")
    assert isinstance(table, Table)
    assert [span.text for span in table.caption] == ["Table 1. Planets"]
    assert text_of(table).split("\n")[1] == "Earth: Moons: 1; Days: 365"


def test_lines_with_tabs_are_a_table() -> None:
    (table,) = blocks_of("Name\tPhone\nMüller, Anna\t555 1234\nSchmidt, Bernd\t555 9876")
    assert isinstance(table, Table)
    assert text_of(table) == "Müller, Anna: 555 1234\nSchmidt, Bernd: 555 9876"
    assert isinstance(blocks_of("one\tword\nand another line")[0], Paragraph)


def test_code_keeps_its_language_and_its_lines() -> None:
    (code,) = blocks_of("```{.python .input}\n# no heading\n\n• x = 1\n```")
    assert code == Code(0, 45, "python", "# no heading\n\n• x = 1")


def test_indented_code_is_code_and_an_indented_poem_is_not() -> None:
    code, text, poem = (
        blocks_of(
            "    $ git init\n    done\n\nText:\n\n    The woods are lovely,\n    dark and deep,\n\n    - and far"
        )[:2]
        + blocks_of("Text.\n\n    The woods are lovely,\n    dark and deep,\n\n    - and far")[1:2]
    )
    assert isinstance(code, Code)
    assert code.text == "$ git init\ndone"
    assert isinstance(text, Paragraph)
    assert text_of(poem) == "The woods are lovely, dark and deep,"


def test_a_figure_has_its_caption() -> None:
    first, second = blocks_of("![A cell under light](c.png)\n\n*Seen at noon*\n\nFigure 3.1 The nucleus (credit: NASA)")
    assert isinstance(first, Figure)
    assert (first.alt, text_of(first)) == ("A cell under light", "Seen at noon")
    assert isinstance(second, Figure)
    assert isinstance(blocks_of("Figure 3.1 shows that cells are small.")[0], Paragraph)


def test_definition_lists_footnotes_and_boxes() -> None:
    text = "Cell\n: the smallest unit\n: a small room\n\n> **Did you know?**\n>\n> Cells glow.\n\n[^1]: Some do.\n"
    definition, box, footnote = blocks_of(text)
    assert isinstance(definition, Definition)
    assert definition.term == (Span("Cell"),)
    assert [text_of(inner) for meaning in definition.meanings for inner in meaning] == [
        "the smallest unit",
        "a small room",
    ]
    assert isinstance(box, Box)
    assert (box.title, [text_of(block) for block in box.blocks]) == ("Did you know?", ["Cells glow."])
    assert isinstance(footnote, Footnote)
    assert (footnote.label, text_of(footnote)) == ("1", "Some do.")


def test_an_underlined_paragraph_is_no_heading() -> None:
    long = "This is a whole sentence that goes on and on over the line, and then a rule was drawn below it"
    assert outline(read_structure(f"Title\n=====\n\n{long}\n---\n\nMore.")) == [(1, "Title")]


def test_attributes_of_other_dialects_vanish_and_formulas_keep_their_braces() -> None:
    (paragraph,) = blocks_of('A **cell**{: data-type="term"} has $\\sum_{i=1}^n x$.')
    assert text_of(paragraph) == "A cell has $\\sum_{i=1}^n x$."


def test_what_is_nested_too_deep_is_still_text() -> None:
    assert "bottom" in text_of(read_structure("> " * 200 + "bottom"))


def test_lines_beyond_the_limit_are_one_paragraph() -> None:
    text = "a\n\n" * (MAX_LINES // 2) + "# late\n\nlast"
    last = read_structure(text).blocks[-1]
    assert isinstance(last, Paragraph)
    assert last.spans[0] == Span("# late last", SpanKind.PLAIN)


def test_brackets_by_the_hundred_thousand_are_text() -> None:
    assert len(text_of(read_structure("[" * 200_000))) == 200_000


def test_a_table_of_one_column_is_a_frame_around_paragraphs() -> None:
    text = "| Locke says: |\n|---|\n| People own what they work for. |\n| The state keeps watch. |\n"
    blocks = blocks_of(text)
    assert [type(block) for block in blocks] == [Paragraph] * 3
    assert text[blocks[1].start : blocks[1].end] == "| People own what they work for. |"
