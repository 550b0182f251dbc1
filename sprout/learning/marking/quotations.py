"""Quotations: whether an answer contains what a grader quotes from it."""

import html
import re
from dataclasses import dataclass
from typing import Literal

from sprout.learning.marking.answers import grader_directed_spans, says_nothing
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import Criterion
from sprout.learning.text.normalization import folded, occurs_in, one_line

AnswerKind = Literal["text", "code", "drawing"]

MAX_SPAN = 500
MAX_PART = 200  # of the name of a drawing's part


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Criteria and anchors for an open answer.

    Args:
        criteria: 2-5, each with a weight above 0.
        anchors: a full and a partial answer in a learner's words.
        program_tests: the runs that mark an answer which is a program.
    """

    prompt: str
    criteria: tuple[Criterion, ...]
    anchors: tuple[str, ...] = ()
    program_tests: tuple[ProgramTest, ...] = ()


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """The answer that spans must stand in."""

    question: OpenQuestion
    answer: str
    kind: AnswerKind

    def find_quotation(self, span: str) -> str | None:
        """The span as it literally stands in the answer, a part of a line of code as the whole line; for a drawing the
        part's name. None where it is not there, is an order to the grader, or says nothing."""
        if self.kind == "drawing":
            return one_line(span)[:MAX_PART] or None
        place = _locate(span, self.answer) or _locate(html.unescape(span), self.answer)
        if place is None or not self._says_something(*place):
            return None
        start, end = place
        if self.kind == "code":
            start = self.answer.rfind("\n", 0, start) + 1
            line_end = self.answer.find("\n", end)
            end = line_end if line_end >= 0 else len(self.answer)
        return self.answer[start:end].strip()

    def _says_something(self, start: int, end: int) -> bool:
        """Whether something is left of the words when those for the grader are taken out."""
        kept, position = "", start
        for opening, closing in grader_directed_spans(self.answer):
            kept += self.answer[position : max(position, min(opening, end))]
            position = max(position, min(closing, end))
        kept += self.answer[position:end]
        return not says_nothing(kept) or is_expected(kept, self.question)


def is_expected(answer: str, question: OpenQuestion) -> bool:
    """Whether these words stand in what the question is graded against: then they are an answer to it."""
    said = folded(answer).strip(" .!?")
    texts = [*question.anchors, *(one.statement for one in question.criteria)]
    return bool(said) and any(occurs_in(said, folded(text)) for text in texts)


def _locate(span: str, answer: str) -> tuple[int, int] | None:
    """Start and end of the span in the answer, whatever the kind and number of spaces; None if it is not there."""
    words = span.split()
    if not words or len(span) > MAX_SPAN:
        return None
    found = re.search(r"\s+".join(re.escape(word) for word in words), answer)
    return found.span() if found else None
