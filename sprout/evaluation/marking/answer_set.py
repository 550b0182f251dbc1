"""Answer set: typed answers with the levels that people gave them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sprout.evaluation.suite import DataSource
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion

AnswerSort = Literal["own_words", "working", "half_right", "confidently_wrong", "wrong", "injected", "unsorted"]

WHOLE_ANSWER = "says what the prepared answer says"
PART_OF_ANSWER = "says a part of it, and nothing against the rest"


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """An answer, and how a person marked it.

    Args:
        prepared: an answer that is wholly right, for a grader that has no criteria.
        level: the person's mark, from 0 to `highest`.
        scale: answers of one scale have levels that mean the same.
        without: for an answer that speaks to its grader, the id of the same answer without those words.
    """

    id: str
    question: OpenQuestion | NumericQuestion
    prepared: str
    says: str
    level: int
    highest: int
    scale: str
    sort: AnswerSort = "unsorted"
    without: str | None = None

    @property
    def share(self) -> float:
        """The person's mark as a score, 0..1."""
        return self.level / self.highest


@dataclass(frozen=True, slots=True)
class AnswerSet:
    answers: Sequence[MarkedAnswer]
    source: DataSource


def question_of_reference(prompt: str, references: Sequence[str]) -> OpenQuestion:
    """An open question that has prepared answers and no criteria of its own: one criterion stands for the whole."""
    criterion = Criterion(WHOLE_ANSWER, references[0], 1.0, partly_if=PART_OF_ANSWER)
    return OpenQuestion(prompt, (criterion,), tuple(references[:2]))
