"""Decisions of a person about an answer, and the grades that they make."""

from collections.abc import Mapping
from typing import Literal

from sprout.learning.marking.grades import Grade, GradeState

Verdict = Literal["right", "partly", "not_yet"]
Decision = Literal["right", "partly", "not_yet", "drop"]

SCORES: Mapping[Verdict, float] = {"right": 1.0, "partly": 0.5, "not_yet": 0.0}


def decided_grade(before: Grade | None, decision: Verdict, words: str) -> Grade:
    """The grade of an answer that a person has looked at; what a grader said of its criteria no longer stands.

    Flags and beliefs stay, but for the beliefs of an answer that is right.

    Args:
        words: what the learner is told.
    """
    beliefs = before.misconceptions if before is not None and decision != "right" else ()
    return Grade(
        GradeState.GRADED,
        score=SCORES[decision],
        correct=decision == "right",
        misconceptions=beliefs,
        next_step=words,
        flagged=() if before is None else before.flagged,
        looks=() if before is None else before.looks,
    )
