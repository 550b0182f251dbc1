"""Progress as files for other programs: tables as CSV."""

from collections.abc import Iterable

from sprout.learning.mastery.reports import AnswerLine, MasteryLine
from sprout.learning.text.csv_table import csv_table

_ANSWER_COLUMNS = ("when", "path", "concept", "about", "question", "your answer", "points of 100", "help", "feedback")
_MASTERY_COLUMNS = ("path", "concept", "subconcept", "mastery of 100", "answers", "learned on", "mastered on")


def answers_csv(lines: Iterable[AnswerLine]) -> str:
    """Every attempt; one that is not graded has no points."""
    rows = (
        (
            one.at,
            one.path,
            one.concept,
            "; ".join(one.about),
            one.prompt,
            one.answer,
            "" if one.score is None else str(round(one.score * 100)),
            str(one.help_level),
            one.feedback or "",
        )
        for one in lines
    )
    return csv_table(_ANSWER_COLUMNS, rows)


def mastery_csv(lines: Iterable[MasteryLine]) -> str:
    """Every subconcept."""
    rows = (
        (
            one.path,
            one.concept,
            one.title,
            str(round(one.mastery * 100)),
            str(one.answers),
            one.learned_at or "",
            one.mastered_at or "",
        )
        for one in lines
    )
    return csv_table(_MASTERY_COLUMNS, rows)
