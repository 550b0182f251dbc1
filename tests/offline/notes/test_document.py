"""Notes as documents: content by section, what is left out, and passages put together again under their headings."""

import pytest

from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.structure.plain_view import text_of
from sprout.offline.notes.document import Part, documents_of_passages, read_document
from tests.offline.notes.reading import FILES
from tests.offline.sdk_client import NOTES


def outline(part: Part) -> dict[tuple[str, ...], str]:
    return {
        each.path: " ".join(" ".join(text_of(block) for block in each.blocks).split())
        for each in part.iter_parts()
        if each.blocks
    }


@pytest.mark.parametrize("name", FILES)
def test_passages_of_a_whole_document_give_the_document_again(name: str) -> None:
    text = (NOTES / name).read_text()
    passages = [(one.document, one.heading or "", one.text) for one in split_into_passages(name, text)]
    (again,) = documents_of_passages(passages)
    assert outline(again.content) == outline(read_document(text).content)


def test_a_passage_stands_under_its_headings_also_where_others_are_missing() -> None:
    given = [
        ("a.md", "Cells › Membranes", "### Membranes\n\nThey hold the cell together."),
        ("b.md", "", "Iron rusts."),
    ]
    first, second = documents_of_passages(given)
    assert outline(first.content) == {("Cells", "Membranes"): "They hold the cell together."}
    assert outline(second.content) == {(): "Iron rusts."}


def test_in_passages_that_name_their_heading_no_line_is_taken_for_another() -> None:
    (document,) = documents_of_passages([("a.md", "Energy", "# Energy\n\n1.1 Heat\n\nIt moves from warm to cold.")])
    assert [part.title for part in document.content.iter_parts()] == ["", "Energy"]


def test_what_is_below_exercises_is_left_out_also_in_passages() -> None:
    given = [("a.md", "Cells › Exercises › Part one", "#### Part one\n\nName three parts of a cell and what they do.")]
    (document,) = documents_of_passages(given)
    assert document.content.words == 0
    assert document.left_out == (("Exercises", "exercises"),)


def test_a_section_opened_is_its_own_text_and_the_sections_below() -> None:
    content = read_document("# Cells\n\nThey are small.\n\n## Membranes\n\nThey hold.\n").content
    own, below = content.parts[0].opened()
    assert (own.opening, own.path, own.parts) == (True, ("Cells",), ())
    assert below.path == ("Cells", "Membranes")


def test_the_instructions_of_an_exam_are_nothing_to_learn() -> None:
    problems = "".join(
        f"## Problem {n}\n\nFind the limit of the row number {n}. Show all your work.\n\n" for n in (1, 2, 3)
    )
    assert read_document(f"Write your name on every page. Circle your answers.\n\n{problems}").content.words == 0


def test_slides_that_go_on_under_the_same_title_are_one_section() -> None:
    said = {"Proof": "First we assume it.", "Proof ": "Then we see that it fails.", "End": "So it is false."}
    text = "# Slides\n\n" + "".join(f"## {title}\n\n{words}\n\n" for title, words in said.items())
    assert [part.title for part in read_document(text).content.iter_parts()] == ["", "Slides", "Slides: Proof", "End"]


def test_S1_a_section_that_a_concept_names_is_content_whatever_else_it_would_be() -> None:
    text = "# Cells\n\nThey are small.\n\n## Exercises\n\n1. What is a cell?\n\n# References\n\n- A book (2001).\n"
    titles = {
        one: [part.title for part in read_document(text, desc=one).content.iter_parts()] for one in ("", "a: Exercises")
    }
    assert titles == {"": ["", "Cells"], "a: Exercises": ["", "Cells", "Exercises"]}


def test_a_heading_without_any_text_and_one_that_is_taught_are_not_told_as_left_out() -> None:
    told = "The pump moves water to the tank, which keeps it for a day. " * 4
    read = read_document(f"# Chapter 2\n\n# Pumps\n\n{told}\n\n# Turbines\n\n{told}\n\n# Pumps\n\n* * *\n\n1 2 3\n")
    assert read.left_out == ()
