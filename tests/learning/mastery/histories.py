"""Histories of answers for tests of mastery: one graph, single answers, and random histories."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from sprout.learning.mastery.mastery import Evidence, Mastery, mastery

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NODES = ("light", "leaf", "sugar", "growth")
CHAIN = [("light", "leaf"), ("leaf", "sugar"), ("sugar", "growth")]


def an_answer(
    score: float, *tests: str, number: int = 0, format: str = "open_ended", level: int = 0, difficulty: int = 3
) -> Evidence:
    """An answer to a question of its own, in minute `number`, about the leaf if nothing else is named."""
    return Evidence(
        answer_id=f"a{number}",
        question_id=f"q{number}",
        item=f"prompt {number}",
        tests=tests or ("leaf",),
        format=format,  # type: ignore[arg-type]
        difficulty=difficulty,
        score=score,
        help_level=level,
        at=NOON + timedelta(minutes=number),
        number=number,
    )


def days_later(answer: Evidence, days: float) -> Evidence:
    return replace(answer, at=answer.at + timedelta(days=days))


def after(*scores: float, format: str = "open_ended", level: int = 0, difficulty: int = 3) -> Mastery:
    """What is known of the leaf after answers to different questions about it, in one sitting."""
    given = [
        an_answer(score, number=number, format=format, level=level, difficulty=difficulty)
        for number, score in enumerate(scores)
    ]
    return mastery(given, CHAIN).get("leaf", Mastery())


scores = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.7, 0.9, 1.0]) | st.floats(0, 1)
answers = st.builds(
    Evidence,
    answer_id=st.uuids().map(str),
    question_id=st.integers(0, 9).map(lambda number: f"q{number}"),
    item=st.integers(0, 5).map(lambda number: f"prompt {number}"),
    tests=st.lists(st.sampled_from(NODES), min_size=1, max_size=3, unique=True).map(tuple),
    format=st.sampled_from(["mcq", "open_ended", "numeric"]),
    difficulty=st.integers(1, 5),
    score=scores,
    help_level=st.sampled_from([0, 0, 0, 1, 4]),
    at=st.integers(0, 5_000).map(lambda minutes: NOON + timedelta(minutes=minutes)),
    number=st.integers(0, 5_000),
)
histories = st.lists(answers, max_size=15, unique_by=lambda one: one.answer_id)


def next_answer(history: list[Evidence], answer: Evidence) -> Evidence:
    """The answer, given after all others, a day at the most later."""
    last = max((one.at for one in history), default=NOON)
    number = max((one.number for one in history), default=0) + 1
    return replace(answer, answer_id="next", at=last + timedelta(minutes=1), number=number)


def fresh(answer: Evidence) -> Evidence:
    """The answer as an unaided first attempt at a question of its own."""
    return replace(answer, question_id="fresh", item="a fresh prompt", help_level=0)
