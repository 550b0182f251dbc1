"""The checks of how a scripted learner is treated, on records that they must tell apart."""

from typing import Any

import pytest

from faults.leaks.secret_markers import MarkedText, SecretMarkers
from faults.learners.answer_book import KnownQuestion, WrongAnswer
from faults.learners.course_record import ConceptRecord, CourseRecord
from faults.learners.expected_treatment import check_treatment
from faults.learners.scripted_learners import LearnerMessage

BELIEF = "A mob is blind: it destroys whatever is in its way."


def believer(*described: str) -> CourseRecord:
    """The record of a learner whose two answers show one belief, and of the parts that were added for it."""
    question = KnownQuestion("Why?", "mcq", "bread", ("crowds",), (WrongAnswer("blind rage", BELIEF),))
    given = (question, LearnerMessage("blind rage", right=False), False)
    nodes: list[dict[str, Any]] = [{"id": str(at), "title": "A step", "desc": one} for at, one in enumerate(described)]
    change: dict[str, Any] = {
        "before": {"nodes": [], "edges": []},
        "after": {"nodes": nodes, "edges": []},
    }
    return CourseRecord("Crowds", [ConceptRecord("Bread", diagnostic_answers=[given, given], changes=[change])])


def test_a_belief_that_came_twice_is_named_though_its_words_are_marked() -> None:
    marked = SecretMarkers().mark_text(BELIEF, MarkedText(("Why?",), "misconception"))
    assert marked != BELIEF
    assert check_treatment("misconception", believer(f"A thought to look at: {marked}")) == []


@pytest.mark.parametrize("described", [(), ("Small cases first.",)])
def test_a_belief_that_came_twice_and_is_not_named_is_a_violation(described: tuple[str, ...]) -> None:
    assert check_treatment("misconception", believer(*described)) == [
        f"a belief that came twice is not named: {BELIEF!r}"
    ]
