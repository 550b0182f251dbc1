"""Question files: the questions that a file of another program holds, checked, and why others are left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from sprout.errors import BadInput
from sprout.events import NodeRow, Wire
from sprout.learning.graph.graph import title_key
from sprout.learning.questions.questions import MAX_TESTS, QuestionDraft
from sprout.learning.questions.teachers_questions import TELLS_ANSWER, check_teachers_question
from sprout.learning.text.normalization import one_line
from sprout.learning.text.word_search import SearchedText, SearchQuery, rank

MAX_FILE_QUESTIONS = 2_000
MAX_LISTED = 100
MAX_NAME = 80
MIN_TITLE_WORD = 4


class LeftOutReason(StrEnum):
    """The reason why a question of a file is not added, as the page knows it."""

    NO_ANSWER = "question_no_answer"
    SEVERAL_RIGHT = "question_several_right"
    MEDIA = "question_media"
    KIND = "question_kind"
    NO_QUESTION = "question_none"
    BROKEN = "question_broken"
    PROMPT = "question_prompt"
    TELLS_ANSWER = TELLS_ANSWER
    ANSWER = "question_answer"
    OPTIONS = "question_options"
    SOLUTION = "question_solution"


REASONS = {
    LeftOutReason.NO_ANSWER: "The file does not say what a right answer is.",
    LeftOutReason.SEVERAL_RIGHT: "More than one of its options is right; a choice has one right option here.",
    LeftOutReason.MEDIA: "It needs a picture, a sound or a film, which are not taken over.",
    LeftOutReason.KIND: "It is of a kind that Sprout does not ask.",
    LeftOutReason.NO_QUESTION: "It is a text that asks nothing.",
    LeftOutReason.BROKEN: "It is incomplete, or not written as its format demands.",
    LeftOutReason.PROMPT: "Its question is empty or too long.",
    LeftOutReason.TELLS_ANSWER: "Its question gives the answer away.",
    LeftOutReason.ANSWER: "Its answer is not among its options, is no number, or is too long.",
    LeftOutReason.OPTIONS: "Its options repeat, are too few, too many, empty or too long.",
    LeftOutReason.SOLUTION: "Its explanation is too long.",
}
_BY_FIELD = {
    "prompt": LeftOutReason.PROMPT,
    "options": LeftOutReason.OPTIONS,
    "gradingRubric": LeftOutReason.NO_ANSWER,
    "solution": LeftOutReason.SOLUTION,
}


@dataclass(frozen=True, slots=True)
class LeftOutQuestion:
    """A question of a file that is not added; `name` is what the file calls it, or the beginning of its text."""

    name: str
    reason: LeftOutReason


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The questions of a file, unchecked; what they test is what the file sorts them by: categories, tags, decks."""

    questions: tuple[QuestionDraft, ...] = ()
    left_out: tuple[LeftOutQuestion, ...] = ()


class LeftOutRow(Wire):
    """A question that was not added: `code` and `why` say the reason."""

    name: str
    code: str
    why: str


class ImportedQuestions(Wire):
    """What came of a file: numbers of questions, and at most 100 of those that were left out."""

    added: int
    already_there: int
    left_out_count: int
    left_out: list[LeftOutRow]


class QuestionImports(Protocol):
    """Questions of files, added to a learner's own path."""

    async def import_questions(self, node_id: str, file: QuestionFile, *, user_id: str) -> ImportedQuestions:
        """Add the questions to the reviews of a concept, or of one part of it; all that can be asked, or nothing.

        A question that the concept has already, in whatever state, is not added again.

        Raises NotFound, BadInput (a topic has no questions), Conflict (the concept has no parts yet).
        """
        ...


def name_of(text: str) -> str:
    """The name of a question to which the file gives none: the beginning of its text, in one line."""
    line = one_line(text)
    return line if len(line) <= MAX_NAME else f"{line[: MAX_NAME - 1].rstrip()}…"


def check_file(file: QuestionFile) -> QuestionFile:
    """The questions that can be asked, tidied; the others are left out, each with its reason."""
    questions, left_out = [], [replace(one, name=name_of(one.name)) for one in file.left_out]
    for draft in file.questions:
        try:
            questions.append(check_teachers_question(draft))
        except BadInput as refusal:
            reason = _reason(refusal)
            left_out.append(LeftOutQuestion(name_of(draft.prompt), reason))
    return QuestionFile(tuple(questions), tuple(left_out))


def with_tested_parts(draft: QuestionDraft, parts: Sequence[NodeRow]) -> QuestionDraft:
    """The draft with the titles of the parts that it tests: those that the file names, else the one whose title its
    words speak of, else all of them, as many as a question may test."""
    labels = {title_key(label) for label in draft.tests}
    named = [part.title for part in parts if title_key(part.title) in labels]
    if not named:
        words = " ".join((draft.prompt, draft.correct_answer, *draft.options)).split()
        query = SearchQuery(tuple(dict.fromkeys(word.lower() for word in words if len(word) >= MIN_TITLE_WORD)))
        named = [parts[at].title for at in rank(query, [SearchedText(part.title, "") for part in parts])[:1]]
    return replace(draft, tests=tuple(named or [part.title for part in parts])[:MAX_TESTS])


def _reason(refusal: BadInput) -> LeftOutReason:
    if refusal.code == TELLS_ANSWER:
        return LeftOutReason.TELLS_ANSWER
    return _BY_FIELD.get(refusal.field or "", LeftOutReason.ANSWER)
