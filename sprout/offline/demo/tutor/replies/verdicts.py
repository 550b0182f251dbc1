"""Verdicts that the tutor has given, read from its replies in the transcript."""

from collections.abc import Iterator
from enum import StrEnum
from functools import cache

from sprout.offline.demo.tutor.templates import CODES, templates_for
from sprout.offline.demo.tutor.turn import Turn, question_in


class Verdict(StrEnum):
    """How an answer that closed its question was found."""

    ALONE = "alone"
    HELPED = "helped"
    COMPARED = "compared"


_NAMES = {
    Verdict.HELPED: ("with_help", "gap_filled"),
    Verdict.COMPARED: ("compared_met", "compared_again"),
    Verdict.ALONE: ("right", "right_you_wrote"),
}


def solved_alone(turn: Turn) -> Iterator[str]:
    """Prompts of the questions that were solved without help, as far back as the transcript goes.

    The tutor's verdict says it, with which the message after the answer begins.
    """
    if turn.settled is not None and turn.settled.done_alone:
        yield turn.settled.prompt
    asked = ""
    for role, text in turn.transcript:
        if role != "assistant":
            continue
        if asked and verdict_in(text) is Verdict.ALONE:
            yield asked
        asked = question_in(text) or asked


def verdict_in(reply: str) -> Verdict | None:
    """The verdict that a reply begins with."""
    return next((verdict for verdict, begins in _beginnings() if reply.startswith(begins)), None)


@cache
def _beginnings() -> tuple[tuple[Verdict, tuple[str, ...]], ...]:
    """The beginnings of the replies with each verdict, in each language."""
    return tuple((verdict, tuple(_wordings(names))) for verdict, names in _NAMES.items())


def _wordings(names: tuple[str, ...]) -> Iterator[str]:
    for frames in map(templates_for, CODES):
        yield from (frames.constant_part(one) for name in names for one in frames.wordings(name))
