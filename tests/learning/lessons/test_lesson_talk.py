"""Lesson talk: what a learner says of the lesson itself is told from what they say of its matter."""

import pytest

from sprout.learning.lessons.lesson_talk import talk_kind, wants_help, wants_to_skip


@pytest.mark.parametrize(
    "words",
    [
        "I dont understand", "huh?", "I don't understand this", "this makes no sense to me", "it doesn't make sense",
        "what do i have to do, just guess?", "how do i start", "where do we even begin", "i'm totally lost",
        "no idea what to do", "i have no clue", "ich versteh das nicht", "was soll ich machen", "wie fange ich an?",
    ],
)  # fmt: skip
def test_confusion_is_a_wish_for_help(words: str) -> None:
    assert wants_help(words)


@pytest.mark.parametrize(
    "words",
    [
        "i get it", "did i get it right", "i dont get how odds work", "why do they start at 0", "what does it do",
        "does the loop start again", "i dont understand what a livre is",
        "i dont get it, what is None?", "should i guess 12", "is the king lost",
    ],
)  # fmt: skip
def test_words_of_the_matter_are_no_wish_for_help(words: str) -> None:
    assert not wants_help(words)


@pytest.mark.parametrize("words", ["can i skip this", "next", "pass", "can we move on?", "kann ich das überspringen"])
def test_the_wish_to_leave_a_question_is_known(words: str) -> None:
    assert wants_to_skip(words)


@pytest.mark.parametrize("words", ["what is the next value", "why does the ferry skip a day", "the king passed a law"])
def test_words_of_the_matter_skip_nothing(words: str) -> None:
    assert not wants_to_skip(words)


def test_a_kind_has_a_word_of_each_group_and_nothing_but_little_words_beside() -> None:
    kind = talk_kind([["long lang*", "take takes"]], without="which")
    assert kind.matches("How long does this take?")
    assert not any(map(kind.matches, ("how long is it", "which takes long", "how long does a loaf take", "long " * 30)))
