"""Titles for parts of notes: claims, “What … is”, “Why …”, in three languages, and never a mere pair of words."""

import pytest

from sprout.offline.notes.parser import parse_sections, skipped_headings
from sprout.offline.notes.terms import Lexicon, build_lexicon
from sprout.offline.notes.title_claims import find_claims, find_definition

ENGLISH = [
    (
        "Groundwater feeds the rivers in dry weeks, which is why they do not vanish.",
        "Groundwater feeds the rivers in dry weeks",
    ),
    ("A reservoir is a place where water stays for some time.", "What a reservoir is"),
    ("The temperature at which air becomes saturated is called the dew point.", "What the dew point is"),
    ("Evaporation needs energy, because the bonds have to be broken.", "Why evaporation needs energy"),
    ("This is why sweat cools the skin.", "Why sweat cools the skin"),
    ("When the air cools, its relative humidity rises and rises.", "What happens when the air cools"),
    ("Discharge is found by multiplying the area by the speed of the water.", "How discharge is found"),
    ("Surface runoff begins when precipitation is heavier than the soil can take.", "When surface runoff begins"),
    ("A short lag time means a high risk of a flood for all the towns below.", "What a short lag time means"),
    ("At a front, warm air slides up over cold air for hours.", "Warm air slides up over cold air"),
    ("Water vapour stays in the atmosphere for only about nine days.", "Water vapour stays in the atmosphere"),
    ("What drives the whole cycle is energy from the Sun and nothing else.", "What drives the whole cycle"),
]
GERMAN = [
    ("Das Chlorophyll ist ein grüner Farbstoff in den Blättern der Pflanze.", "Was das Chlorophyll ist"),
    (
        "Die Spaltöffnungen schließen sich bei Trockenheit, weil Wasser fehlt.",
        "Die Spaltöffnungen schließen sich bei Trockenheit",
    ),
    (
        "Der Calvin-Zyklus baut Zucker auf und verbraucht dabei die Energie der Lichtreaktion.",
        "Der Calvin-Zyklus baut Zucker auf",
    ),
    ("Wenn das Licht ausgeht, endet die Lichtreaktion im Blatt sofort.", "Was geschieht, wenn das Licht ausgeht"),
]
FRENCH = [
    ("La Terreur est un gouvernement d'exception qui suspend les libertés.", "Ce qu'est la Terreur"),
    ("La monarchie tombe le 10 août, parce que le peuple accuse le roi.", "Pourquoi la monarchie tombe le 10 août"),
    ("C'est pourquoi le roi convoque les états généraux.", "Pourquoi le roi convoque les états généraux"),
]


def words(*sentences: str, language: str = "en", marked: tuple[str, ...] = ()) -> Lexicon:
    return build_lexicon(sentences, language, marked=marked)


def title_of(sentence: str, language: str, marked: tuple[str, ...] = ()) -> str:
    return find_claims(sentence, words(sentence, language=language, marked=marked))[0].title


@pytest.mark.parametrize(("sentence", "title"), ENGLISH)
def test_an_english_sentence_gives_a_title(sentence: str, title: str) -> None:
    assert title_of(sentence, "en") == title


@pytest.mark.parametrize(("sentence", "title"), GERMAN)
def test_a_german_sentence_gives_a_title(sentence: str, title: str) -> None:
    assert title_of(sentence, "de", ("Chlorophyll",)) == title


@pytest.mark.parametrize(("sentence", "title"), FRENCH)
def test_a_french_sentence_gives_a_title(sentence: str, title: str) -> None:
    assert title_of(sentence, "fr", ("Terreur",)) == title


def test_a_line_of_a_glossary_is_its_own_title_and_a_definition_where_the_term_is_marked() -> None:
    text = "Mitochondria: powerhouse of the cell, where sugar is burnt."
    assert title_of(text, "en", ("Mitochondria",)) == "Mitochondria: powerhouse of the cell"
    found = find_definition(text, words(text, marked=("Mitochondria",)))
    assert found is not None
    assert found.what == "powerhouse of the cell, where sugar is burnt"


@pytest.mark.parametrize(
    "sentence",
    [
        "It gives off carbon dioxide.",
        "Bakers call this the window test.",
        "Farmers use the balance to decide when to water.",
        "Tiny particles of dust, salt or smoke float in the air above the large cities of the plain.",
        "Atmosphere: about nine days.",
    ],
)
def test_a_sentence_that_cannot_stand_alone_gives_none(sentence: str) -> None:
    assert find_claims(sentence, words(sentence)) == []


def test_the_largest_or_the_first_of_something_is_no_definition() -> None:
    sentence = "Groundwater is the largest reservoir of fresh water."
    assert find_definition(sentence, words(sentence, marked=("Groundwater",))) is None


def test_sentences_about_the_notes_are_not_read() -> None:
    text = (
        "# Water\n\nThese are my notes for the geography exam. See page 3. Water flows downhill (see page 4).\n\n"
        "## Kapitel 2\n\nDas sind meine Notizen. Siehe Seite 12 im Buch. Das Wasser fließt bergab.\n\n"
        "## Chapitre 3 : Les fleuves\n\nCe sont mes notes pour le bac. Les fleuves coulent vers la mer.\n"
    )
    sections = parse_sections(text)
    assert [section.title for section in sections] == ["Water", "", "Les fleuves"]
    assert [section.sentences for section in sections] == [
        ["Water flows downhill."],
        ["Das Wasser fließt bergab."],
        ["Les fleuves coulent vers la mer."],
    ]


def test_headings_without_anything_to_learn_are_named() -> None:
    text = "## Iron\n\nIron rusts in damp air.\n\n## Code\n\n```\nx = 1\n```\n\n## References\n\nA book on rust.\n"
    assert skipped_headings(text) == ["Code", "References"]
