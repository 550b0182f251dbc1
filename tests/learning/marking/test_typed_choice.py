"""Typed choices: what names an option, and what does not (A11)."""

from collections.abc import Sequence

import pytest

from sprout.learning.marking.choices import Option
from sprout.learning.marking.meant_option import meant_option
from sprout.learning.marking.typed_choice import named_options, typed_option

TEXTS = (
    "The odds go down, since silence speaks against it",
    "The odds go up, since the attack was a success",
    "Nothing changes at all for either side",
    "It depends on the price of bread",
)
OPTIONS = tuple(Option(text, text) for text in TEXTS)


def named(text: str) -> list[int]:
    return [TEXTS.index(option.text) for option in named_options(OPTIONS, text)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("B", 1), ("b)", 1), ("(b)", 1), ("option b", 1), ("I'd say C", 2), ("not A but D", 3), ("a", 0), ("its a", 0),
        ("B?", 1), ("b because it grows", 1), ("B, as more is sold", 1), ("Antwort c", 2), ("ich nehme b", 1),
        ("nicht A sondern C", 2), ("pas A mais C", 2), ("d - nothing else fits", 3),
        ("I don't know much, but I'd say C", 2), ("A then, if you really want a letter", 0),
        ("it's B, no wait, A", 0), ("C, he is rich and selfish, sorry I mean D", 3), ("I first thought C but now D", 3),
        ("B. no, C, because of the register", 2), ("thats C then", 2), ("2", 1), ("nr. 3", 2),
        ("oh ok A then, bad harvest but nobody rebels", 0),
        ("d because one third", 3), ("d or c, c i think", 2), ("A has a date in it", 0), ("B fits, it won", 1),
        ("Article 1 only talks about rights so i go with D", 3),
    ],
)  # fmt: skip
def test_A11_an_option_is_named_by_its_letter(text: str, place: int) -> None:
    assert named(text) == [place]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("B they won and that was unlikely", 1), ("b they won and that was unlikely", 1), ("D everyone had to eat", 3),
        ("A he would have heard it", 0), ("a they would have heard it", 0), ("A because nobody said a word", 0),
        ("C 10 times nothing", 2), ("B \"it worked\"", 1), ("B it is not likely without help", 1), ("D not sure", 3),
    ],
)  # fmt: skip
def test_A11_a_letter_before_own_words_is_one_whatever_they_say(text: str, place: int) -> None:
    assert named(text) == [place]


@pytest.mark.parametrize(
    "text",
    [
        "A success tells more than silence", "a watchman would have heard it", "b = 3", "B isn't what happened",
        "B cannot be", "B is wrong", "E they won", "A or maybe what came later",
    ],
)  # fmt: skip
def test_A11_an_article_a_name_and_a_letter_that_is_ruled_out_are_none(text: str) -> None:
    assert named(text) == []


def test_A11_a_letter_whose_words_are_those_of_another_option_is_asked_about() -> None:
    assert named("B it depends on the price of bread") == [1, 3]


def test_A11_without_options_none_is_named() -> None:
    assert named_options((), "b because they won") == []


def test_A11_a_letter_may_stand_behind_words_that_all_options_have() -> None:
    crates = tuple(Option(text, text) for text in ("The crate with 900 bad parts", "The crate with 91 bad parts"))
    assert named_options(crates, "crate b") == [crates[1]]
    assert named_options(crates, "crate 91 b") == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the first one", 0), ("first", 0), ("I'd go for the 2nd", 1), ("the last", 3), ("die zweite", 1),
        ("option four", 3), ("Option 4", 3), ("number 3, because", 2), ("Antwort zwei", 1),
        ("la première", 0), ("a primeira", 0), ("probably the last one, as bread is dear", 3),
    ],
)  # fmt: skip
def test_A11_an_option_is_named_by_its_place(text: str, place: int) -> None:
    assert named(text) == [place]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("it depends on the price of bread", 3), ("It depends on the prise of bread.", 3),
        ("I think it depends on the prise of bread", 3),
        ("I'd say: nothing changes at all for either side, sorry", 2),
        ("the odds go down", 0), ("i think the odds go up because it won", 1),
        ("the odds go up, since silence speaks against it", 1),
        ("The odds go down, you should have heard it by then", 0),
    ],
)  # fmt: skip
def test_A11_an_option_is_named_by_its_text_or_its_clear_beginning(text: str, place: int) -> None:
    assert named(text) == [place]


@pytest.mark.parametrize(
    "text",
    [
        "Our attack was a success, so it was right", "silence spoke to me", "bread got dear, the price rose",
        "A loop does it", "plan B", "just a guess", "its a good answer", "First, you hear nothing",
        "the first time it was ok", "E", "yes", "i give up",
        "Vitamin C helps a lot against a cold in winter, and so the odds are good",
        "the odds do not go down, since silence speaks against it",
    ],
)  # fmt: skip
def test_A11_own_words_name_no_option(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    "text", ["A or B", "the first or the second", "both a and b", "a, b"]
)  # fmt: skip
def test_A11_of_two_named_options_the_learner_is_asked_which_one_counts(text: str) -> None:
    assert named(text) == [0, 1]
    assert typed_option(OPTIONS, text) is None


def test_A11_a_place_names_no_option_where_the_options_speak_of_places() -> None:
    estates = [Option(name, f"In the {name}, with the others") for name in ("third", "second", "first")]
    assert typed_option(estates, "the first one") is None
    assert typed_option(estates, "A") == estates[0]


def test_A11_a_number_names_no_place_where_the_options_hold_numbers() -> None:
    counts = [Option(count, f"{count} of them") for count in ("four", "three", "two", "one")]
    assert typed_option(counts, "answer four") is None
    assert typed_option(counts, "option 9") is None


@pytest.mark.parametrize(("says", "place"), [("2", 1), ("3.", 2), ("nr. 4", 3), ("1", None)])
def test_A11_a_bare_number_is_a_place_unless_another_option_has_it(says: str, place: int | None) -> None:
    texts = (
        "Half of the pupils fail",
        "One or more pupils fail",
        "Exactly one pupil fails",
        "Every single pupil fails",
    )
    assert typed_option(options_of(texts), says) == (None if place is None else options_of(texts)[place])


def test_A11_a_bare_number_is_no_place_where_the_options_are_counts() -> None:
    assert typed_option(options_of(("Two lines", "Three lines", "None", "It never ends")), "4") is None


def test_A11_three_words_name_the_option_that_begins_with_them_if_they_stand_in_no_other() -> None:
    texts = ("Half of the pupils fail", "One or more pupils fail", "Exactly one pupil fails", "Every pupil fails")
    assert typed_option(options_of(texts), "one or more") == options_of(texts)[1]
    assert typed_option(options_of((*texts, "Not one or more")), "one or more") is None


def test_A11_numbers_that_are_all_of_an_option_name_it_and_not_a_longer_one() -> None:
    ranges = [Option("longer", "2, 3, 4, 5, 6"), Option("right", "2, 3, 4, 5")]
    assert typed_option(ranges, "2 3 4 5") == ranges[1]


NUMBERS = tuple(Option(f"id-{number}", f"{number} %") for number in (60, 70, 75, 54))


@pytest.mark.parametrize(
    ("says", "chosen"),
    [
        ("less likely so 54", "id-54"), ("seventy five", "id-75"), ("it must be 70 then", "id-70"),
        ("less than 60", None), ("54 or 60", None), ("0.54", None), ("80", None),
    ],
)  # fmt: skip
def test_A1_a_number_picks_the_option_that_is_that_number(says: str, chosen: str | None) -> None:
    found = typed_option(NUMBERS, says)
    assert (found.id if found else None) == chosen


FREEDOM = ("the name of the paper", "the readers' habits", "the price of an issue", "the writers' freedom")
OPEN = ("A letter about the price of bread", "Open books on how much grain is stored", "A guard before the full barns")
CHANCES = ("P(Friday | no win)", "P(win | Friday)", "P(Friday)", "P(Friday | win)")
NEIGHBOUR = (
    "My brother saw it in the same app",
    "The app on my other phone says so",
    "A neighbour saw it being loaded",
)
MILL = ("Letting villagers watch the milling", "Fining everyone who repeats it", "Laughing at the foolish villagers")


def options_of(texts: Sequence[str]) -> list[Option]:
    return [Option(text, text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "text", "meant"),
    [
        (FREEDOM, "the freedom of the writers", "the writers' freedom"), (OPEN, "open books", OPEN[1]),
        (OPEN, "maybe the grain that is stored", OPEN[1]), (NEIGHBOUR, "the neighbor", NEIGHBOUR[2]),
        (MILL, "watching the mill", MILL[0]), (CHANCES, "winning given friday", "P(win | Friday)"),
        (CHANCES, "friday given no win", "P(Friday | no win)"), (MILL, "rumours -> laughing flipped = B", MILL[1]),
    ],
)  # fmt: skip
def test_A1_own_words_that_stand_in_one_option_alone_name_it(texts: Sequence[str], text: str, meant: str) -> None:
    named = typed_option(options_of(texts), text)
    assert named is not None
    assert named.text == meant


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (FREEDOM, "not the price"), (FREEDOM, "the writers' habits"), (OPEN, "the price of grain"),
        (OPEN, "open letter"), (OPEN, "open books, since bread is dear"),
        (NEIGHBOUR, "the app"), (MILL, "villagers"), (MILL, "is it the mill?"), (CHANCES, "given friday"),
        (OPEN, "books are never open"),
    ],
)  # fmt: skip
def test_A1_words_of_several_options_and_words_that_deny_name_none(texts: Sequence[str], text: str) -> None:
    assert typed_option(options_of(texts), text) is None


def test_A1_where_two_options_fit_both_are_named() -> None:
    assert [one.text for one in named_options(options_of(MILL), "the villagers")] == [MILL[0], MILL[2]]


COLOURS = tuple(Option(text, text) for text in ("blue", "green", "red", "nothing"))


@pytest.mark.parametrize(
    ("text", "colours"),
    [
        ("its blue, bc green only when called", ["blue"]),
        ("green because blue is overwritten", ["green"]),
        ("blue is wrong because green is called", ["blue", "green"]),
        ("blue or green because both are called", ["blue", "green"]),
    ],
)
def test_A11_what_stands_behind_a_reason_is_no_choice(text: str, colours: list[str]) -> None:
    assert [option.text for option in named_options(COLOURS, text)] == colours


ESTATES = ("first order", "third estate", "no order at all", "second order")
GROUPS = ("the third", "the fourth", "the second", "the first")
CALLS = ("long_ones(words, 5)", "long_ones(5, words)", "long_ones(words)", "words(long_ones, 5)")
FLATS = ("Flats where tomatoes grow", "Balconies with tomatoes", "All the flats", "Flats that have a balcony")
LORDS = ("No rich family owns more", "No official gives orders", "No lord holds a court over his peasants")


@pytest.mark.parametrize(
    ("texts", "says", "meant"),
    [
        (GROUPS, "3", "the third"),
        (GROUPS, "the 3rd one, because 700 is enough and storm matters", "the third"),
        (GROUPS, "third", "the third"),
        (GROUPS, "C", "the second"),
        (ESTATES, "second", "second order"),
        (ESTATES, "2nd order, he keeps the title", "second order"),
        (ESTATES, "second estate", None),
        (CALLS, "long_ones(words,5)", "long_ones(words, 5)"),
        (FLATS, "not 3, i'd say 4", "Flats that have a balcony"),
        (FLATS, "the 2.", "Balconies with tomatoes"),
        (FLATS, "first bread, then peace", None),
        (LORDS, "No lord holds court", "No lord holds a court over his peasants"),
        (LORDS, "No rich lord", None),
    ],
)
def test_A1_a_place_that_options_say_and_a_part_of_one_name_it(
    texts: Sequence[str], says: str, meant: str | None
) -> None:
    found = typed_option(options_of(texts), says)
    assert (found and found.text) == meant


@pytest.mark.parametrize("says", ["first picture", "the 1st picture bc one win comes with 3 losses"])
def test_A1_a_word_of_the_question_may_stand_behind_a_place(says: str) -> None:
    games = options_of(("1 win and 3 losses", "1 win and 2 losses", "3 wins and 1 loss"))
    assert typed_option(games, says, "Which picture shows that?") == games[0]


TRAVEL = ("A true negative", "A false negative", "A true positive")
CARS = ("Guests with a car and no dog", "Guests with a car and a dog", "Guests with a car")


@pytest.mark.parametrize(
    ("texts", "text"),
    [(TRAVEL, "negative"), (CARS, "with a car"), (TRAVEL, "it was a cause of war"), (TRAVEL, "they want a war")],
)
def test_A11_an_article_and_half_of_a_name_are_no_option(texts: Sequence[str], text: str) -> None:
    assert typed_option(options_of(texts), text) is None


@pytest.mark.parametrize(
    ("texts", "text", "named"),
    [
        (("Its chance is 0.7", "Its chance is 0.3 too", "Nothing at all"), "1 - 0.3 = 0.7", "Its chance is 0.7"),
        (("Its chance is 0.7", "Its chance is 0.3 too", "Nothing at all"), "70 %", "Its chance is 0.7"),
        (("Its chance is 0.7", "Its chance is 0.3 too", "Nothing at all"), "0.6", None),
        (("days[7]", "days[0]", "days[-1]"), "7", "days[7]"),
        (("days[7]", "days[0]", "days[-1]"), "-1", "days[-1]"),
        (("It failed 88 of 300", "It helped 120 of 300", "It helped 5 of 10"), "300", None),
        (("The revolt of 1789", "The war", "The debt"), "1848", None),
        (("A true negative", "A false negative", "A true positive"), "true neg", "A true negative"),
        (("A true negative", "A false negative", "A true positive"), "neg", None),
        (("Salt stains", "Cold feel", "Bad smell"), "salt stians obviously", "Salt stains"),
        (("Salt stains", "Cold feel", "Bad smell"), "not the smell, the salt", "Salt stains"),
        (("TypeError", "ValueError", "NameError"), "a Type Eror", "TypeError"),
        (("`50 % 6`", "`50 // 6`", "`50 / 6`"), "50%6", "`50 % 6`"),
    ],
)
def test_A11_few_words_name_an_option_where_they_fit_one_alone(
    texts: tuple[str, ...], text: str, named: str | None
) -> None:
    found = typed_option(options_of(texts), text)
    assert (found.text if found is not None else None) == named


@pytest.mark.parametrize("text", ["no. 2", "nr 2", "#2", "No. 2 (1 in 150)", "the second (1 in 150)", "machine 2"])
def test_A11_a_place_means_the_option_that_says_it_wherever_that_stands(text: str) -> None:
    options = [Option(f"id of {one}", one) for one in ("The second", "The first", "The third", "The fourth")]
    assert [one.text for one in named_options(options, text, "Which machine is the worst?")] == ["The second"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("140 don't, 60 do", ["60 and 140 pupils"]),
        ("140 and 60?", []),
        ("200 don't, 60 do", ["60 and 200 pupils"]),
    ],
)
def test_A11_numbers_of_the_same_things_may_come_in_any_order(text: str, found: list[str]) -> None:
    options = [Option(one, one) for one in ("60 and 140 pupils", "60 and 40 pupils", "60 and 200 pupils")]
    assert [one.text for one in named_options(options, text)] == found


def test_A11_numbers_in_another_order_name_no_option_whose_words_say_which_is_which() -> None:
    options = [Option(one, one) for one in ("60 ride and 140 walk", "60 ride and 40 walk")]
    assert named_options(options, "140 ride, 60 walk") == []


def test_A11_a_compound_may_be_written_as_two_words() -> None:
    options = [Option(one, one) for one in ("Gunpowder to face the troops", "Bread in its cellars", "Revenge")]
    assert [one.text for one in named_options(options, "gun powder")] == ["Gunpowder to face the troops"]
    apart = [Option(one, one) for one in ("It stands apart", "It is part of it")]
    assert [one.text for one in named_options(apart, "a part of it")] == ["It is part of it"]


@pytest.mark.parametrize("text", ["this is stupid", "I hate this, this is stupid!!", "ugh"])
def test_A8_a_complaint_names_no_option_that_has_a_word_of_it(text: str) -> None:
    options = [Option(one, one) for one in ("A speech that calls the believers stupid", "Open books", "A ban")]
    assert named_options(options, text) == []
    assert meant_option(options, text) is None
