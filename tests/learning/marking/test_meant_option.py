"""Options that own words seem to mean: asked about, and never taken without a yes (A11)."""

import pytest

from sprout.learning.marking.choices import Option
from sprout.learning.marking.meant_option import confirms, denies, meant_option

TEXTS = (
    "A quick defeat of the French army",
    "The bread that the workshops bought",
    "A law that punishes the same crime alike",
    "The tithe, which went to the church",
)
OPTIONS = tuple(Option(text, text) for text in TEXTS)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the church took that", 3), ("the tithe, the church took that", 3), ("a quick defeet becuase they lost", 0),
        ("the same punishment for the same crime because its fair", 2), ("not the tithe but the bread", 1),
        ("the workshops, since the army had none", 1),
    ],
)  # fmt: skip
def test_A11_words_that_only_one_option_has_seem_to_mean_it(text: str, place: int) -> None:
    assert meant_option(OPTIONS, text) == OPTIONS[place]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the king",
        "bread for the church",
        "they wanted to lower the wages and buy bread",
        "not the tithe",
        "the " * 400 + "tithe",
    ],
)
def test_A11_other_words_seem_to_mean_none(text: str) -> None:
    assert meant_option(OPTIONS, text) is None


def test_A11_a_number_that_only_one_option_has_seems_to_mean_it() -> None:
    bags = [Option(text, text) for text in ("5 of 20 come back", "5 of 500 come back")]
    assert meant_option(bags, "the 500 one because 5 come back") == bags[1]


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes!", "yeah exactly", "yes that one", "yes because they bought it", "jup", "y", "ja genau", "oui", "sí"],
)
def test_A11_a_yes_confirms(text: str) -> None:
    assert confirms(text)


@pytest.mark.parametrize("text", ["no", "yes but no", "not that one", "maybe", "", "it was yes", "yes or no"])
def test_A11_anything_else_does_not(text: str) -> None:
    assert not confirms(text)


@pytest.mark.parametrize(
    ("text", "is_no"), [("no", True), ("nein", True), ("not that one", True), ("", False), ("B", False)]
)
def test_A11_a_no_denies(text: str, is_no: bool) -> None:
    assert denies(text) is is_no


def test_A11_a_name_in_one_word_is_read_in_its_parts() -> None:
    errors = [Option(name, name) for name in ("ValueError", "IndexError", "NameError")]
    found = meant_option(errors, "index out of range")
    assert found is not None
    assert found.text == "IndexError"


FLATS = (
    "Flats where tomatoes grow",
    "Balconies with tomatoes",
    "All the flats in the town",
    "Flats that have a balcony",
)
RULES = ("That nobody will want a post", "That one man will rule alone", "That the poor will buy votes")
HARVESTS = ("A bad harvest without a revolution", "A bad harvest and then a revolution", "A revolution, harvests good")


@pytest.mark.parametrize(
    ("texts", "says", "meant"),
    [
        (("bread", "powder", "a king"), "gunpowder", "powder"),
        (("brings a higher wage", "makes a man ashamed"), "shame", "makes a man ashamed"),
        (("ValueError", "TypeError", "NameError"), "typ error", "TypeError"),
        (FLATS, "the balcony flats", "Flats that have a balcony"),
        (RULES, "dictatorship of one guy", "That one man will rule alone"),
        (RULES, "fear of one man ruling alone", "That one man will rule alone"),
        (("1 win in 4 games", "1 win in 5 games"), "one win, five games", "1 win in 5 games"),
        (HARVESTS, "a bad harvest but no revolution", "A bad harvest without a revolution"),
        (FLATS, "the flats", None),
        (FLATS, "cabbages", None),
    ],
)
def test_A11_an_option_that_shares_more_words_than_any_other_is_asked_about(
    texts: tuple[str, ...], says: str, meant: str | None
) -> None:
    found = meant_option([Option(text, text) for text in texts], says)
    assert (found and found.text) == meant


@pytest.mark.parametrize(
    ("text", "place"),
    [("bad harvest but nobody revolts", 0), ("they didnt steal anything", None), ("no revolution, harvest bad", 0)],
)
def test_A11_what_is_denied_tells_options_apart_only_beside_other_words(text: str, place: int | None) -> None:
    texts = ("A bad harvest without a revolution", "A bad harvest, then a revolution", "They broke no doors or windows")
    options = [Option(one, one) for one in texts]
    assert meant_option(options, text) == (None if place is None else options[place])


BELIEFS = ("He believes it, with some doubt left", "He does not believe what he said", "He keeps promises")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("they are scared of it, he breaks promises", 2),  # a later clause
        ("some people have doubts", 0), ("not believing that", 1), ("not his promises", None),
    ],
)  # fmt: skip
def test_A11_the_one_option_that_any_clause_seems_to_mean_is_asked_about(text: str, place: int | None) -> None:
    options = [Option(one, one) for one in BELIEFS]
    assert meant_option(options, text) == (None if place is None else options[place])


def test_A11_of_two_options_the_one_with_the_very_words_is_asked_about() -> None:
    options = [
        Option(text, text) for text in ("Songs over and songs up to 3 minutes", "Songs over and songs under 3 minutes")
    ]
    assert meant_option(options, "the 3 min one, it says up to") == options[0]


def test_A11_an_english_pronoun_denies_nothing() -> None:
    """Russian "не" looks like it."""
    options = [Option(one, one) for one in ("He kept the law", "The law was broken", "Without law")]
    assert meant_option(options, "he wanted no law") == options[2]
