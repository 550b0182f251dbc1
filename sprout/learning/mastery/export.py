"""Progress as files for other programs: tables as CSV, and cards as Anki's text import takes them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from sprout.learning.mastery.reports import AnswerLine, Flashcard, MasteryLine

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[\d.,]+%?")
_ANSWER_COLUMNS = ("when", "path", "concept", "about", "question", "your answer", "points of 100", "help", "feedback")
_MASTERY_COLUMNS = ("path", "concept", "subconcept", "mastery of 100", "answers", "learned on", "mastered on")
# https://docs.ankiweb.net/importing/text-files.html
_ANKI = """\
#separator:tab
#html:false
#notetype:Basic
#deck:Sprout
#columns:Id\tFront\tBack\tTags
#guid column:1
#tags column:4
"""


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
    return _csv(_ANSWER_COLUMNS, rows)


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
    return _csv(_MASTERY_COLUMNS, rows)


def anki_text(cards: Iterable[Flashcard]) -> str:
    """A file for Anki's import; importing it again renews the cards that are there."""
    rows = io.StringIO()
    writer = csv.writer(rows, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerows((one.id, one.front, one.back, f"{_tag(one.path)} {_tag(one.about)}") for one in cards)
    return _ANKI + rows.getvalue()


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """With a mark of its encoding, without which spreadsheets take it for another."""
    text = io.StringIO()
    text.write("\ufeff")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_without_formula(cell) for cell in row] for row in rows)
    return text.getvalue()


def _without_formula(cell: str) -> str:
    """The cell so that no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def _tag(title: str) -> str:
    """A title as a tag, which has no spaces."""
    return "_".join(title.split())
