"""Directives and admonitions of other Markdown dialects."""

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block, Box, Code, Figure, Formula, ListBlock


def only_block(text: str) -> Block:
    (block,) = read_structure(text).blocks
    return block


def test_a_box_of_myst() -> None:
    box = only_block("```{admonition} A *cell*\n---\nclass: hint\n---\nIt is **small**.\n\nVery.\n```")
    assert isinstance(box, Box)
    assert (box.title, [text_of(block) for block in box.blocks]) == ("A cell", ["It is small.", "Very."])


def test_a_figure_and_a_formula_of_myst() -> None:
    figure = only_block("```{figure} c.png\n:alt: a cell\n:width: 50%\nSeen at *noon*\n```")
    assert isinstance(figure, Figure)
    assert (figure.alt, text_of(figure)) == ("a cell", "Seen at noon")
    assert only_block("```{math}\n:label: e\nE = mc^2\n```") == Formula(0, 32, "E = mc^2")


def test_code_of_myst_has_the_language_that_it_names() -> None:
    code = only_block("```{code-block} python\n---\nlinenos:\n---\nx = 1\n```")
    assert isinstance(code, Code)
    assert (code.language, code.text) == ("python", "x = 1")


def test_an_admonition_holds_what_is_indented_below_it() -> None:
    box, after = read_structure(
        '!!! note "Mind this"\n    - one\n    - two\n\nCells are small, and they are many.'
    ).blocks
    assert isinstance(box, Box)
    assert box.title == "Mind this"
    assert isinstance(box.blocks[0], ListBlock)
    assert text_of(after) == "Cells are small, and they are many."
    folded = only_block('??? "Task - Squares"\n\tDraw one.')
    assert isinstance(folded, Box)
    assert (folded.title, text_of(folded.blocks[0])) == ("Task - Squares", "Draw one.")
