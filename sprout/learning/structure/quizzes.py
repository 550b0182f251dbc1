"""Questions with options that a document holds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.structure import forms
from sprout.learning.structure.heading_roles import Role
from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.roles import ClassifiedSection, iter_classified
from sprout.learning.structure.titles import without_numbering
from sprout.learning.structure.tree import ListBlock, ListItem

_LETTER = re.compile(r"(?<!\w)([A-Ha-h])(?!\w)")


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """Question with its options, which stand between the characters `start` and `end` of the stored text.

    Args:
        correct: the places of the options that the document says are right, from 0; empty where it says nothing.
    """

    question: str
    options: tuple[str, ...]
    correct: tuple[int, ...]
    start: int
    end: int


def quiz_questions(document: ClassifiedSection) -> list[QuizQuestion]:
    """The questions with options of a document, in its order."""
    return [question for section in iter_classified(document) for question in _questions_of(section)]


def _questions_of(section: ClassifiedSection) -> Iterator[QuizQuestion]:
    for at, each in enumerate(section.blocks):
        block = each.block
        if each.role is not Role.QUIZ or not isinstance(block, ListBlock):
            continue
        before = tuple(other.block for other in section.blocks[max(0, at - 3) : at])
        after = section.blocks[at + 1] if at + 1 < len(section.blocks) else None
        answer = text_of(after.block) if after and after.role is Role.ANSWERS else ""
        asked = forms.question_of(block, before) or ("" if at else without_numbering(section.section.title))
        if forms.is_options(block, asked, in_quiz=True):
            yield _question(block, asked, answer)
        for item in block.items:
            yield from _nested_questions(item)


def _nested_questions(item: ListItem) -> Iterator[QuizQuestion]:
    """The questions that are items of a list, their options a list below."""
    for at, block in enumerate(item.blocks):
        asked = forms.question_of(block, item.blocks[:at]) if isinstance(block, ListBlock) else ""
        if isinstance(block, ListBlock) and forms.is_options(block, asked, in_quiz=True):
            answers = [text_of(each) for each in item.blocks[at + 1 :] if forms.is_answer(each)]
            yield _question(block, asked, answers[0] if answers else "")


def _question(block: ListBlock, asked: str, answer: str) -> QuizQuestion:
    options = tuple(text_of(item) for item in block.items)
    return QuizQuestion(asked, options, _correct(block, answer), block.start, block.end)


def _correct(block: ListBlock, answer: str) -> tuple[int, ...]:
    """The options that are ticked, or that the answer below names by a letter alone: "B", "Answer: c)"."""
    ticked = tuple(at for at, item in enumerate(block.items) if item.marker == "[x]")
    if ticked:
        return ticked
    letters = _LETTER.findall(answer[:40]) if len(answer) <= 40 else _LETTER.findall(answer[:40])[:1]
    places = {ord(letter.lower()) - ord("a") for letter in letters}
    return tuple(sorted(place for place in places if place < len(block.items)))
