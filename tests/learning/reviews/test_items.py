"""Items of reviews: fresh before seen, the oldest of the seen, and what code can mark before the rest."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sprout.learning.reviews.items import Candidate, choose_item, has_fresh

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def candidate(prompt: str, days_ago: float | None = None, *, by_code: bool = True) -> Candidate:
    seen = None if days_ago is None else NOW - timedelta(days=days_ago)
    return Candidate(prompt, by_code, question_id=f"{prompt} {days_ago}", seen_at=seen)


def prompt(*candidates: Candidate) -> str | None:
    chosen = choose_item(candidates)
    return None if chosen is None else chosen.prompt


def test_V4_an_item_is_a_fresh_one_else_the_one_seen_longest_ago() -> None:
    assert prompt(candidate("old", 9), candidate("fresh"), candidate("new", 1)) == "fresh"
    assert prompt(candidate("new", 1), candidate("old", 9)) == "old"
    assert prompt() is None


def test_V7_a_part_has_something_fresh_if_the_question_that_would_be_asked_was_never_answered() -> None:
    assert has_fresh([candidate("old", 9), candidate("fresh")])
    assert not has_fresh([candidate("old", 9), candidate("old")])
    assert not has_fresh([candidate("old", 9), candidate("words", by_code=False)])
    assert not has_fresh([])


def test_V4_the_same_words_asked_again_were_seen_when_they_were_asked_last() -> None:
    assert prompt(candidate("twice", 30), candidate("once", 9), candidate("Twice ", 1)) == "once"
    assert prompt(candidate("asked"), candidate("asked", 3), candidate("other", 5)) == "other"


def test_C1_what_can_clear_a_misconception_comes_first_among_what_code_can_mark() -> None:
    clears = replace(candidate("clears", 2), clears=True)
    assert prompt(candidate("fresh"), clears, candidate("old", 9)) == "clears"
    in_words = replace(candidate("words", by_code=False), clears=True)
    assert prompt(in_words, candidate("number", 2)) == "number"


def test_V4_what_code_can_mark_comes_before_what_the_learner_compares() -> None:
    assert prompt(candidate("words", by_code=False), candidate("number", 2)) == "number"
    assert prompt(candidate("words", by_code=False)) == "words"
