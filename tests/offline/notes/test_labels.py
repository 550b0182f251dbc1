"""Labels within a section: what cuts a long section without subheadings into parts, and what they are called."""

import pytest

from sprout.learning.structure.plain_view import text_of
from sprout.offline.notes.document import documents_of_passages, read_document
from sprout.offline.notes.labels import cut_at_labels
from sprout.offline.notes.outline import label_pieces
from sprout.offline.notes.path import code_of, path_from_notes
from sprout.offline.notes.scope import own_parts
from sprout.offline.notes.titles import titles_of
from tests.offline.notes.reading import learn, passages_for

SAID = "The keeper of the mill writes down each day what it has cost and what came in for the flour. " * 3
NAMES = ("Grinding stones", "The water wheel", "Bread for the village")
LONG = {
    "short lines": "".join(f"{name}\n\n{SAID}\n\n" for name in NAMES),
    "lines with a colon": "".join(f"{name}:\n\n{SAID}\n\n" for name in NAMES),
    "bold beginnings": "".join(f"**{name}.** {SAID}\n\n" for name in NAMES),
    "lists": "".join(f"{name}:\n\n- {SAID}\n- {SAID}\n\n" for name in NAMES),
}


def labels(text: str) -> list[str]:
    content = read_document(f"## Mills\n\n{text}", finds_headings=False).content
    return [label for part in content.iter_parts() for label, _ in cut_at_labels(part) if label]


@pytest.mark.parametrize("form", LONG)
def test_a_long_section_without_subheadings_has_a_part_for_each_label_in_it(form: str) -> None:
    text = f"## Mills\n\n{LONG[form]}"
    taught = learn("mills.md", text)
    (lesson,) = taught.lessons.values()
    assert [node.title for node in lesson.nodes] == [*NAMES]


@pytest.mark.parametrize("form", LONG)
def test_the_lesson_on_such_a_part_reads_its_text_and_no_other(form: str) -> None:
    text = f"## Mills\n\n{LONG[form]}"
    (lesson,) = learn("mills.md", text).lessons.values()
    for node in lesson.nodes:
        documents = documents_of_passages(passages_for("mills.md", text, node), desc=node.desc)
        parts = own_parts(documents, title=node.title, desc=node.desc, code=code_of(documents, node.desc))
        read = "\n".join(text_of(block) for part in parts for block in part.all_blocks)
        assert [name for name in NAMES if name in read] == [node.title]


def test_the_items_of_an_outline_that_is_one_list_are_labels() -> None:
    outline = "".join(f"- {name}\n  - {SAID}\n  - {SAID}\n- {SAID}\n" for name in NAMES)
    assert labels(outline) == [*NAMES]


def test_text_before_the_first_label_has_the_name_of_its_section() -> None:
    (lesson,) = learn("mills.md", f"## Mills\n\n{SAID}\n\n{LONG['short lines']}").lessons.values()
    assert [node.title for node in lesson.nodes] == ["Mills", *NAMES]


def test_text_before_the_first_label_without_a_heading_is_called_by_the_terms_that_it_uses() -> None:
    text = f"The mill grinds. The mill stands by the sea, and the mill turns. {SAID}\n\n{LONG['short lines']}"
    pieces = label_pieces(read_document(text, finds_headings=False).content)
    first, *others = titles_of(pieces, "en", within=True)
    assert first.startswith("Mill")
    assert others == [*NAMES]


@pytest.mark.parametrize(
    "line",
    [
        "It has cost a lot.",
        "For example:",
        "We see at once that this holds for all of them:",
        "x = y + 2",
        "So Z ⊆ K",
        "What all of this is",
        "10 RELAX(u, v, W)",
        "and the rest",
        "$E = mc^2$",
        "Now",
        "Key points include:",
        "Exercises:",
        "Share this",
        "Anna Miller - 17253015",
    ],
)
def test_sentences_formulas_and_code_are_no_labels(line: str) -> None:
    assert labels(f"{line}\n\n{SAID}\n\nGrinding stones\n\n{SAID}") == ["Grinding stones"]


def test_a_line_that_goes_on_with_a_sentence_is_no_label() -> None:
    assert labels(f"{SAID}\n\nThe cost of the wheel is\n\nGrinding stones\n\n{SAID}") == []
    assert labels(f"{SAID}\n\nThis is the cost:\n\nGrinding stones\n\n{SAID}") == ["Grinding stones"]


def test_of_a_list_of_names_only_the_first_is_a_label_and_a_line_at_the_end_is_none() -> None:
    assert labels(f"Grinding stones\n\nThe water wheel\n\n{SAID}\n\nBread for the village") == ["Grinding stones"]
    assert labels("") == []


def test_numbered_headings_are_named_by_the_labels_below_them() -> None:
    text = "".join(f"## Week {number}\n\n{name}\n\n{SAID * 3}\n\n" for number, name in enumerate(NAMES, start=1))
    path = path_from_notes([text], least=6, most=10)
    assert path is not None
    assert [node.title for node in path.nodes] == [f"Week {n}: {name}" for n, name in enumerate(NAMES, start=1)]


def test_a_dull_heading_has_no_words_beside_it_whose_forms_are_unknown() -> None:
    about = "Внедрение новых методов в медицине меняет работу врачей, и в медицине этого ждали долгие годы. " * 27
    text = f"## Введение\n\n{about}\n\n## Методы врачей\n\n{about.replace('медицине', 'больнице')}\n\n"
    text += f"## Лекарства\n\n{about.replace('медицине', 'аптеке')}\n\n"
    path = path_from_notes([text], least=6, most=10)
    assert path is not None
    assert [node.title for node in path.nodes] == ["Введение", "Методы врачей", "Лекарства"]
