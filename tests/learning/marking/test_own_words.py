"""Own words for an option: marked where one option alone has them, and left to the learner anywhere else (A11)."""

from collections.abc import Sequence

import pytest

from sprout.learning.marking.choices import Option
from sprout.learning.marking.own_words import same_word
from sprout.learning.marking.typed_choice import named_options, typed_option
from sprout.offline.courses.catalogue import courses, lessons
from sprout.offline.courses.lesson_format import LessonQuestion

HOTEL = (
    "Guests with a cat and guests with no cat",
    "Guests with a cat and guests by train",
    "Guests with a dog or a cat",
)
GAMES = ("1 win and 3 losses in 4 games", "3 wins and 1 loss in 4 games", "1 win and 4 losses in 5 games")
FEES = ("Dues, since a lord receives it", "Tax, since everybody pays it", "None, since they get flour for it")
LIFTS = ("All three lifts stand still", "Not all of the lifts work", "One of the lifts stands still")
SHIFTS = ("Of those on night shift, 55 % are tired", "Of those who are tired, 55 % work nights")
BOOKS = ("Open books on how much grain is stored", "A ban on talk about bread", "A guard before the full barns")

NURSES = (
    "Nurses who work at night",
    "Nurses who sleep badly",
    "Nurses on any shift",
    "Tired nurses at night",
)
ORDERS = ("In the third, with peasants", "In the second, for his wealth", "In none, as he owns no land")
OFFICES = ("They were chosen by the voters", "They stood above him by law", "They commanded their own troops")


def options_of(texts: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(text, text) for text in texts)


@pytest.mark.parametrize(
    ("texts", "says", "place"),
    [
        (HOTEL, "the ones with dogs", 2), (HOTEL, "cat or no cat", 0), (GAMES, "one win three losses", 0),
        (GAMES, "three wins one loss", 1), (FEES, "its the lords so dues", 0), (FEES, "nothing bc they get flour", 2),
        (BOOKS, "show everyone the grain books", 0), (BOOKS, "the guard guy lol", 2),
        (BOOKS, "storing grain, open the books", 0), (BOOKS, "a guard because people are afraid", 2),
        (NURSES, "night nurses", 0), (NURSES, "the tired night nurses", 3),
        (ORDERS, "third, with the peasants", 0), (OFFICES, "chosen by the voters, so only they can sack them", 0),
    ],
)  # fmt: skip
def test_A11_words_that_one_option_alone_has_name_it(texts: Sequence[str], says: str, place: int) -> None:
    found = typed_option(options_of(texts), says)
    assert found is not None
    assert found.text == texts[place]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (BOOKS, "grain is too dear for them"),  # a word that no option has
        (BOOKS, "a guard because they read the books"),  # the reason is another option
        (BOOKS, "never the guard"), (BOOKS, "bread and barns"), (BOOKS, "is it the guard?"),
        (LIFTS, "none of them work"),  # no "not all"
        (NURSES, "night"), (NURSES, "nurses"), (NURSES, "not the night nurses"), (OFFICES, "chosen, the troops did it"),
        (GAMES, "wins and losses"), (SHIFTS, "tired, then night shift"), (HOTEL, "with a cat"),
    ],
)  # fmt: skip
def test_A11_other_own_words_are_left_to_the_learner(texts: Sequence[str], says: str) -> None:
    assert typed_option(options_of(texts), says) is None


def test_A11_words_that_two_options_have_name_both() -> None:
    assert [one.text for one in named_options(options_of(SHIFTS), "tired")] == [*SHIFTS]


def test_A11_words_that_mean_one_option_and_are_quoted_from_another_name_both() -> None:
    named = named_options(options_of(NURSES), "nurses at night")
    assert {one.text for one in named} == {"Nurses who work at night", "Tired nurses at night"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("winn", "win", True),
        ("dogs", "dog", True),
        ("balco", "balcon", True),
        ("12", "120", False),
        ("not", "note", False),
    ],
)
def test_A11_inflection_leaves_a_word_the_same_and_numbers_and_denials_are_none(
    one: str, other: str, same: bool
) -> None:
    assert same_word(one, other) is same


def choices() -> list[LessonQuestion]:
    steps = [step for course in courses() for lesson in lessons(course.slug) for step in lesson.steps]
    return [question for step in steps for question in (step.asks, step.again) if question.kind == "mcq"]


def test_A11_no_run_of_words_of_a_wrong_option_is_marked_right() -> None:
    """Each wrong option of the courses, and three words or more of it in a row."""
    mistaken = list[tuple[str, str]]()
    for question in choices():
        options = options_of((*(wrong.option for wrong in question.wrong), question.answer))
        for wrong in question.wrong:
            words = wrong.option.split()
            runs = (words[at:end] for at in range(len(words)) for end in range(at + 3, len(words) + 1))
            said = (" ".join(run) for run in runs if run[-1].casefold() != "a")
            mistaken += [(one, wrong.option) for one in said if typed_option(options, one) == options[-1]]
    assert mistaken == []
