"""Search by words and phrases: forms of a word in every language, phrases in quotation marks, the best first."""

import pytest

from sprout.learning.text.stemmers import stemmer_language
from sprout.learning.text.word_search import SearchedText, SearchQuery, beginning_of, rank

TEXTS = {
    "en": "The wave that goes through the water is one of many that the wind makes.",
    "de": "Das Haus und der Baum sind nicht alles, was die Größe der Stadt zeigt.",
    "fr": "La vague est une forme que le vent donne à la mer, et elle ne dure pas.",
    "es": "La canción es una forma que el pueblo da a la historia, y no se pierde.",
    "it": "La montagna è una forma che il tempo dà alla terra, e non si perde con gli anni.",
    "ru": "Волна проходит через воду, и ветер её делает.",
    "nl": "De golf is een vorm van het water die niet met de wind gaat.",
}


@pytest.mark.parametrize(
    ("language", "query"),
    [("en", "waves"), ("de", "Häuser"), ("de", "grösse"), ("fr", "vagues"), ("es", "canciones"),
     ("it", "montagne"), ("ru", "волны"), ("nl", "golven"), ("en", "WATER"), ("en", "wat")],
)  # fmt: skip
def test_S1_a_word_is_found_in_all_its_forms_in_the_language_of_the_text(language: str, query: str) -> None:
    assert stemmer_language(TEXTS[language].lower().split()) == language
    assert rank(SearchQuery.parse(query), [SearchedText("", TEXTS[language])]) == [0]
    assert rank(SearchQuery.parse("stones"), [SearchedText("", TEXTS[language])]) == []


def test_S1_a_phrase_in_quotation_marks_is_found_as_it_stands_and_in_other_forms_of_its_words() -> None:
    texts = [
        SearchedText("", "The rate of a base is not the base of a rate."),
        SearchedText("", "Base rates are forgotten by many."),
        SearchedText("The base rate", "It is forgotten by many."),
    ]
    for query in ('"base rate"', "“Base rate”", "„base rates“ many", "«base rate»"):
        assert sorted(rank(SearchQuery.parse(query), texts)) == [1, 2]
    assert rank(SearchQuery.parse('"rate base"'), texts) == []
    assert sorted(rank(SearchQuery.parse("base rate"), texts)) == [0, 1, 2]
    assert rank(SearchQuery.parse('"base rate'), texts)  # an open mark is no mark


def test_the_word_as_it_was_asked_for_and_one_in_the_heading_come_first_and_rare_words_weigh_more() -> None:
    texts = [
        SearchedText("", "A wavelength is long."),
        SearchedText("", "A wave is long."),
        SearchedText("Waves", "Long."),
    ]
    assert rank(SearchQuery.parse("wave"), texts) == [2, 1, 0]
    common = [SearchedText("", "a common word"), SearchedText("", "a common word"), SearchedText("", "a rare word")]
    assert rank(SearchQuery.parse("common rare"), common)[0] == 2


def test_nothing_in_a_query_is_syntax_and_it_has_an_end() -> None:
    assert SearchQuery.parse('"" « » ?! "') == SearchQuery(())
    assert len(SearchQuery.parse("a b c d " * 50).words) == 4
    assert len(SearchQuery.parse(" ".join(f"w{at}" for at in range(99))).words) == 16
    assert rank(SearchQuery.parse(""), [SearchedText("", "text")]) == []
    for word, form in (("waves", "wave"), ("running", "run"), ("größen", "größe"), ("canciones", "canción")):
        assert form.startswith(beginning_of(word))
