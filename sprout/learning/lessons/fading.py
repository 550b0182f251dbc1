"""Fading of worked examples: how much of the next question is worked out for its learner, by what they know."""

from enum import StrEnum

from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, LadderStep

LITTLE_KNOWN, WELL_KNOWN = 0.3, 0.6  # mastery, 0..1; judgement: in doubt more is worked out


class Fading(StrEnum):
    """The form of the next question, from the most worked out to the least (Renkl & Atkinson, 2003)."""

    EXAMPLE = "example"  # a worked example, and as the question another one with a step left out
    GAP = "gap"  # a worked example with a step left out
    ALONE = "alone"  # the idea, then a question on it
    QUESTION_FIRST = "question_first"


def fading_after(known: float, settled: HelpLadder | None = None) -> Fading:
    """The form of the next question.

    A gap is followed by a question without one. Who needed a solution shown gets a gap; who needed other help, or put
    the question away, the same idea alone. A new idea goes by what is known: with little of it the example is first,
    with much of it the question.

    Args:
        known: mastery, 0..1.
        settled: the ladder of the question that was just settled; None without one.
    """
    if settled is not None and settled.given is HelpLevel.NONE and settled.step is LadderStep.WORK_THROUGH:
        return Fading.GAP
    if settled is not None and not (settled.step is LadderStep.SOLVED and settled.level is HelpLevel.NONE):
        return Fading.ALONE
    if known < LITTLE_KNOWN:
        return Fading.EXAMPLE
    return Fading.QUESTION_FIRST if known >= WELL_KNOWN else Fading.ALONE
