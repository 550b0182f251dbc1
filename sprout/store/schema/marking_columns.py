"""Columns of what code marks an answer by: wrong answers and what they stand for, program tests, accepted terms."""

from dataclasses import asdict
from typing import Any, cast

from pydantic import JsonValue

from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import Misconception, QuestionDraft
from sprout.store.schema import tables


def marking_column(draft: QuestionDraft) -> JsonValue:
    """The column of a draft; None if nothing but the meaning of words can mark its answers."""
    if not (draft.program_tests or draft.accepted):
        return None
    return {"program_tests": [asdict(test) for test in draft.program_tests], "accepted": [*draft.accepted]}


def misconceptions_of(question: tables.Question) -> tuple[Misconception, ...]:
    """The wrong answers that a stored question knows, with the belief or the slip behind each."""
    stored = cast(list[dict[str, Any]], question.misconceptions or [])
    return tuple(Misconception(one["answer"], one["misconception"], slip=one.get("slip", False)) for one in stored)


def program_tests_of(question: tables.Question) -> tuple[ProgramTest, ...]:
    """The program tests of a stored question; none if it is not answered by a program."""
    return tuple(ProgramTest(**test) for test in _marked_by(question).get("program_tests", ()))


def accepted_of(question: tables.Question) -> tuple[str, ...]:
    """The terms that are right; none if the answer is not a term."""
    return tuple(_marked_by(question).get("accepted", ()))


def _marked_by(question: tables.Question) -> dict[str, Any]:
    return cast(dict[str, Any], question.marked_by or {})
