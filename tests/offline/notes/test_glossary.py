"""Glossaries: where a document itself says that it gives the meanings of its terms."""

import pytest

from sprout.offline.notes.document import read_document
from sprout.offline.notes.meanings import meanings_in
from tests.offline.notes.reading import learn

MEANINGS = {
    "copper": "red metal that conducts well",
    "tin": "soft white metal from ore",
    "bronze": "alloy for bells and statues",
    "zinc": "metal that keeps the rain off",
}
PROSE = (
    "## Metals\n\nPeople have melted ores for many thousand years. Smiths made tools and bells of what they won, "
    "and they learned which ores to mix, how hot the fire had to be, and how slowly it had to cool down again.\n\n"
)


def found(text: str, code: str = "en") -> dict[str, str]:
    blocks = read_document(PROSE + text).content.all_blocks
    return {one.term: one.meaning for one in meanings_in(blocks, code)}


def written(line: str) -> str:
    return "".join(line.format(term=term, meaning=meaning) for term, meaning in MEANINGS.items())


@pytest.mark.parametrize(
    "text",
    [
        "## Glossary\n\n" + written("- {term}: {meaning}\n"),
        "## Key terms\n\n" + written("**{term}** – {meaning}\n\n"),
        "## Fachbegriffe\n\n" + written("- **{term}** = {meaning}\n"),
        "## Glossaire\n\n" + written("* *{term}* : {meaning}.\n"),
        "## Glosario\n\n" + written("1. {term} -> {meaning}\n"),
        "## Termini chiave\n\n" + written("- {term} (lat.): {meaning}\n"),
        "## Vocabulário\n\n" + written("- {term} — {meaning}\n"),
        "## Terms\n\n- Metals (of the smith)\n" + written("  - {term}: {meaning}\n"),
        "## Glossary\n\n" + written("### {term}\n\n{meaning}. It is sold by weight.\n\n"),
        "## Materials\n\n" + written("{term}\n: {meaning}\n\n"),
        "## Materials\n\n| Term | Definition |\n|---|---|\n" + written("| {term} | {meaning} |\n"),
        "## Materialien\n\n| Begriff | Bedeutung |\n|---|---|\n" + written("| {term} | {meaning} |\n"),
    ],
)
def test_terms_are_found_where_the_document_says_that_it_explains_them(text: str) -> None:
    assert found(text) == MEANINGS


@pytest.mark.parametrize(
    "text",
    [
        "## Clara\n\n- Age: young, in her twenties\n- Looks: long blond hair\n- Father: rich goldsmith in town\n",
        "## Materials\n\n" + written("- {term}: {meaning}\n"),
        "## Materials\n\n| Metal | Price |\n|---|---|\n" + written("| {term} | {meaning} |\n"),
        "## Glossary\n\n- copper: see tin\n- tin: it is white and soft\n- zinc: metal\n",
    ],
)
def test_labels_and_what_explains_nothing_are_no_terms(text: str) -> None:
    assert found(text) == {}


def test_a_glossary_without_meanings_is_a_list_of_key_words_and_is_left_out() -> None:
    read = read_document(f"{PROSE * 2}## Key words\n\ncopper, tin, bronze, zinc\n")
    assert read.left_out == (("Key words", "glossary"),)


def test_the_terms_of_a_glossary_are_asked_for_by_their_meanings_among_each_other() -> None:
    entries = written("- {term}: {meaning}\n")
    notes = learn("metals.md", f"# Metals and alloys\n\n{PROSE}## Glossary\n\n{entries}")
    assert notes.titles == ["Metals and alloys"]
    asked = {question["correct_answer"]: question for question in notes.questions}
    assert {answer.lower() for answer in asked} == {*MEANINGS}
    assert all(sorted(one["options"]) == sorted(asked) for one in asked.values())


def test_what_the_letters_of_a_term_stand_for_is_not_told_with_its_meaning() -> None:
    text = "## Glossary\n\n- LAN: (Local Area Network) net of one house\n" + written("- {term}: {meaning}\n")
    assert found(text)["LAN"] == "net of one house"


def test_pieces_of_a_glossary_are_called_by_their_first_and_last_terms() -> None:
    said = " ".join(MEANINGS.values())
    entries = "".join(f"### Metal {letter}\n\n{said} {letter * 3}.\n\n" for letter in "ABCDEFGH")
    notes = learn("metals.md", f"# Glossary\n\n{entries}")
    assert notes.titles[0] == "Metal A – Metal D"


def test_a_text_that_only_explains_terms_is_cut_into_equal_shares_that_are_asked_about() -> None:
    """A term on a line over its meaning, and no heading anywhere."""
    terms = [f"{first}{second}alloy" for first in "abcdefgh" for second in "aeiou"]
    said = "is a hard metal that smiths make for the {} of bells, and it is sold by weight in all towns of this land"
    notes = learn("alloys.txt", "\n\n".join(f"{term.title()}\n{said.format(term[:2] * 2)}." for term in terms))
    assert notes.titles == ["Aaalloy – Bualloy", "Caalloy – Dualloy", "Eaalloy – Fualloy", "Gaalloy – Hualloy"]
    for title, lesson in notes.lessons.items():
        first, last = title.split(" – ")
        assert lesson.nodes[0].title.startswith(f"{first} – ")
        assert lesson.nodes[-1].title.endswith(f" – {last}")
