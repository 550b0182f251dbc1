"""Texts that explain terms one after the other, without any heading or list."""

import pytest

from sprout.learning.structure.markdown import read_structure
from sprout.learning.structure.plain_entries import with_entries_apart
from sprout.learning.structure.plain_view import text_of, text_of_spans
from sprout.learning.structure.tree import Definition

METALS = {
    "Bronze": "An alloy of copper and tin that was cast into tools.",
    "Copper": "A red metal that carries electricity well.",
    "Gold": "A soft yellow metal that does not rust.",
    "Iron": "A grey metal that a magnet attracts.",
    "Tin": "A soft metal that melts at a low temperature.",
    "Zinc": "A bluish metal that protects iron from rust.",
}
FORMS = {
    "colons": "\n".join(f"{term}: {meaning}" for term, meaning in METALS.items()),
    "paragraphs with dashes": "\n\n".join(f"{term} – {meaning}" for term, meaning in METALS.items()),
    "a term over its meaning": "\n\n".join(f"{term}\n{meaning}" for term, meaning in METALS.items()),
    "lines in turns": "\n".join(f"{term}\n{meaning}" for term, meaning in METALS.items()),
    "terms in bold": "\n\n".join(f"**{term}** {meaning}" for term, meaning in METALS.items()),
}


def entries_of(text: str) -> dict[str, str]:
    """Term → meaning, with what stands between the offsets checked."""
    found = {}
    for block in read_structure(text).blocks:
        if isinstance(block, Definition):
            (meaning,) = (text_of(inner) for inner in block.meanings[0])
            term = text_of_spans(block.term)
            assert text[block.start : block.end].strip("*").startswith(term)
            found[term] = meaning
    return found


@pytest.mark.parametrize("form", FORMS)
def test_each_entry_is_a_term_with_its_meaning(form: str) -> None:
    assert entries_of(f"{FORMS[form]}\n") == METALS


def test_two_terms_in_bold_that_ran_into_one_paragraph_are_no_entry() -> None:
    ran_on = FORMS["terms in bold"].replace(".\n\n**Zinc**", " **Zinc**")
    assert [*entries_of(f"{ran_on}\n\n**Lead** A heavy metal that is soft.\n")] == [*[*METALS][:4], "Lead"]


def test_a_meaning_may_go_on_in_the_next_line() -> None:
    wrapped = FORMS["colons"].replace(" that ", "\nthat ")
    assert entries_of(wrapped) == METALS


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{who}: I have seen the {thing} myself." for who in ("Romeo", "Juliet") for thing in METALS),
        "\n".join(f"Step {number}: melt the copper with some tin." for number in range(1, 9)),
        "\n".join(f"{term}: yes" for term in METALS),
        "\n\n".join(f"{term}\n{f'{meaning} ' * 8}" for term, meaning in METALS.items()),
        "\n\n".join(f"This is what people say of {term.lower()}. {meaning}" for term, meaning in METALS.items()),
        "\n".join([f"{term}: {meaning}" for term, meaning in METALS.items()][:4]),
    ],
    ids=["a dialogue", "steps", "marks alone", "sections", "prose", "a few lines"],
)
def test_what_explains_no_terms_has_no_entries(text: str) -> None:
    assert entries_of(text) == {}


@pytest.mark.parametrize("form", ["colons", "lines in turns"])
def test_the_lines_of_a_list_of_terms_are_set_apart_and_all_else_stays(form: str) -> None:
    apart = with_entries_apart(f"Metals\nby name\n\n{FORMS[form]}\n\n- an item: of another list\n- of it\n")
    assert apart.replace("\n\n", "\n") == f"Metals\nby name\n{FORMS[form]}\n- an item: of another list\n- of it\n"
    assert apart.count("\n\n") == 1 + len(METALS)
    assert entries_of(apart.partition("\n\n- ")[0].partition("\n\n")[2]) == METALS


@pytest.mark.parametrize(
    "text",
    [
        FORMS["paragraphs with dashes"],
        FORMS["terms in bold"],
        "\n".join(f"- {term}: {meaning}" for term, meaning in METALS.items()),
        "---\n" + "\n".join(f"key{term}: {meaning}" for term, meaning in METALS.items()) + "\n---",
        "I saw a smith: he made a bell.\n" * 6,
    ],
)
def test_other_lines_are_left_as_they_are(text: str) -> None:
    assert with_entries_apart(text) == text


def test_terms_in_the_order_of_the_alphabet_may_have_meanings_of_several_lines() -> None:
    more = {**METALS, "Lead": "A soft and heavy metal. It is poison.", "Silver": "A white metal that shines well."}
    terms = sorted(more)
    text = "\n".join(f"{term}\n{more[term].replace('. It', '.' + chr(10) + 'It')}" for term in terms)
    assert entries_of(text) == {term: more[term] for term in terms}
