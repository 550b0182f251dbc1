"""Flaws of a question that can be seen from its form, after the checklist of the teaching guide."""

import re
from collections.abc import Iterator

from sprout.errors import InvalidQuestion
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import QuestionDraft

LONGER_BY = 1.3  # a right option so many times as long as the longest wrong one gives itself away
FEWEST_LETTERS = 20  # shorter options differ in length by nature
ABSOLUTE = re.compile(
    r"\b(?:all|always|never|none|only|every|must|alle|immer|nie|niemals|nur|jede[rsnm]?|kein\w*)\b", re.IGNORECASE
)
NEGATIVE = re.compile(r"\b(?:NOT|EXCEPT|NICHT|KEINE?|AUSSER)\b")
VAGUE = re.compile(r"^(?:discuss|what do you know about|write about|erörtere|was weißt du über)\b", re.IGNORECASE)
MOST_QUESTIONS = 1


def flaws(draft: QuestionDraft) -> list[str]:
    """The names of the flaws; `refused` stands for all that keeps a question from being asked at all."""
    return list(dict.fromkeys(_found(draft)))


def _found(draft: QuestionDraft) -> Iterator[str]:
    try:
        validate_draft(draft)
    except InvalidQuestion:
        yield "refused"
    if NEGATIVE.search(draft.prompt):
        yield "negative"
    if draft.prompt.count("?") > MOST_QUESTIONS:
        yield "two questions"
    if VAGUE.search(draft.prompt):
        yield "vague"
    if draft.format == "mcq":
        yield from _of_options(draft.correct_answer, [one for one in draft.options if one != draft.correct_answer])


def _of_options(right: str, wrong: list[str]) -> Iterator[str]:
    if wrong and len(right) >= FEWEST_LETTERS and len(right) > LONGER_BY * max(map(len, wrong)):
        yield "longest is right"
    if wrong and not ABSOLUTE.search(right) and all(ABSOLUTE.search(one) for one in wrong):
        yield "absolute words in wrong options alone"
