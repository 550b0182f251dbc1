"""The parser's copy of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.source import FILLER, rewrite_source
from sprout.learning.structure.tree import ListBlock, iter_sections


@given(st.text(st.sampled_from("ab•–a)(.{:#=}`~$-\n\r :\t1[]|<h>/"), max_size=200))
def test_the_copy_is_as_long_as_the_text(text: str) -> None:
    assert len(rewrite_source(text).text) == len(text)


def test_options_are_numbered_only_in_their_order() -> None:
    assert rewrite_source("a) x\nb) y\nc) z").text == "1) x\n2) y\n3) z"
    assert rewrite_source("(A) x\n(B) y").text == " 1) x\n 2) y"
    assert rewrite_source("b) y\na) x").text == "b) y\na) x"


def test_fenced_code_is_left_as_it_is() -> None:
    code = "```\n• a{: .b}\na) x\nb) y\n```"
    assert rewrite_source(code).text == code


def test_dashes_in_a_row_are_bullets() -> None:
    assert rewrite_source("– one\n– two\n\n– alone").text == "- one\n- two\n\n– alone"


def test_what_project_gutenberg_puts_around_a_work_is_blank() -> None:
    text = (
        "The Project Gutenberg eBook of Emma\n*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***\n"
        "# Emma\n\nShe was rich.\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\n# License\n"
    )
    assert rewrite_source(text).text.split() == ["#", "Emma", "She", "was", "rich."]
    listed = text.replace("The Project", "```\nThe Project", 1).replace("EMMA ***\n#", "EMMA ***\n```\n#", 1)
    assert rewrite_source(listed).text.split() == ["#", "Emma", "She", "was", "rich."]
    listed = text.replace("*** END", "```\nEnd of Emma\n*** END")
    assert rewrite_source(listed).text.split() == ["#", "Emma", "She", "was", "rich."]


def test_marks_that_say_when_a_text_is_shown_are_no_text() -> None:
    assert rewrite_source("{{1}} Cells\n--{{0}}-- Spoken").text.replace("\u2060", "") == " Cells\n Spoken"


def test_of_a_link_within_a_wiki_what_is_read_stays() -> None:
    assert rewrite_source("[[graph|the graph]] of [[nodes]]").text.replace(FILLER, "") == "the graph of nodes"


def test_a_heading_of_html_on_a_line_of_its_own_is_a_heading() -> None:
    assert rewrite_source("<h2>Tides</h2>").text.rstrip() == "## Tides"
    assert rewrite_source('\t\t\t\t<h3 id="a"><u><b>The Tides</b></u></h3>').text.rstrip() == "### The Tides"


@pytest.mark.parametrize("indent", ["\t", "    "])
def test_items_that_are_indented_below_a_line_of_text_are_items(indent: str) -> None:
    duties = f"Duties:\n{indent}- work\n{indent}- learn\n{indent}{indent}- by heart\n\n"
    text = f"{duties}Rights\n{indent}- rest\n{indent}- pay\n"
    assert len(rewrite_source(text).text) == len(text)
    blocks = [block for section in iter_sections(read_structure(text)) for block in section.blocks]
    lists = [block for block in blocks if isinstance(block, ListBlock)]
    assert [[text[item.start : item.end].split()[1] for item in one.items] for one in lists] == [
        ["work", "learn"],
        ["rest", "pay"],
    ]
    assert isinstance(lists[0].items[1].blocks[0], ListBlock)
